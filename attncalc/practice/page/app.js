// The page: its start, its navigation, and the screen in the address.
import { choose } from "./exercise_list.js";
import { h } from "./dom.js";
import { ideaScreen } from "./idea.js";
import { play } from "./playground.js";
import { practise } from "./exercise.js";
import { progressScreen } from "./progress.js";
import { rehearsalScreen } from "./rehearsal.js";
import { allItems, fail, openItem, openLink, openNext, refresh, resume, state } from "./session.js";
import { ask, start, tabItem } from "./transport.js";
import * as words from "./practice_messages.js";

const screens = { choose, idea: ideaScreen, practise, play, rehearsal: rehearsalScreen, progress: progressScreen };

function navigation(current) {
  const links = Object.entries(words.SCREENS).map(([name, text]) =>
    h("a", { href: `#${name}`, "aria-current": name === current ? "page" : null, class: "screen" }, text));
  document.getElementById("screens").replaceChildren(...links);
}

async function route() {
  const [name, ...link] = location.hash.slice(1).split("/").map(decodeURIComponent);
  if (name === "main") return;
  if (link.length) return openLink(...link).catch(fail);
  const current = name in screens ? name : "choose";
  navigation(current);
  document.adoptedStyleSheets = []; // removes the style of the idea
  await refresh().catch(fail);
  if (["idea", "practise", "play"].includes(current) && !state.open) return openNext({ screen: current }).catch(fail);
  await screens[current]().catch(fail);
  document.title = `${words.SCREENS[current]} · attncalc`;
  document.getElementById("main").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

async function begin() {
  navigation("choose");
  start((says) => { document.getElementById("python").textContent = says; });
  [state.course] = await Promise.all([ask({ do: "course" }), refresh()]);
  const items = allItems();
  const last = items.find((item) => item.id === tabItem());
  if (last) await resume(last.id).catch(() => null); // fails for an exercise of an earlier version
  window.addEventListener("hashchange", route);
  if (items.length === 1 && !location.hash) await openItem(items[0].id);
  else await route();
}

begin().catch(fail);
