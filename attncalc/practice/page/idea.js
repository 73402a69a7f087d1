// The idea of an exercise: its question, its formulas, and a worked example in the style of solutions.
import { button, h, scroll, show } from "./dom.js";
import { go, state } from "./session.js";
import { ask } from "./transport.js";
import * as words from "./practice_messages.js";

const sheet = new CSSStyleSheet(); // the page's policy forbids styles inside HTML

export async function ideaScreen() {
  const { title, style, html } = await ask({ do: "idea", item: state.open.task.item });
  sheet.replaceSync(style);
  document.adoptedStyleSheets = [sheet];
  const content = h("div", { class: "idea", html });
  for (const cell of content.querySelectorAll("[data-style]")) cell.style.cssText = cell.dataset.style;
  content.querySelectorAll(".scroll").forEach(scroll);
  for (const link of content.querySelectorAll(".flow a")) link.addEventListener("click", (event) => jump(event, link));
  show(
    h("h1", {}, title),
    h("p", { class: "fine" }, `${words.IDEA} ${words.signs(html)}`),
    h("p", { class: "tools" }, button(words.START, () => go("practise"), { class: "main" }), button("Print", () => print())),
    content,
    h("p", { class: "tools" }, button(words.START, () => go("practise"), { class: "main" })),
  );
}

// A box of the flow diagram is a link to its step. The address does not change.
function jump(event, link) {
  event.preventDefault();
  const step = document.getElementById(link.getAttribute("href").slice(1));
  step.scrollIntoView();
  step.querySelector("summary")?.focus({ preventScroll: true });
}
