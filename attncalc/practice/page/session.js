// What the screens share: the course, the progress of this person, and the exercise that is open.
import { h, show, today } from "./dom.js";
import { ask, load, save } from "./transport.js";
import * as words from "./practice_messages.js";

export const state = { course: null, progress: {}, open: null };

// Another tab may have stored newer progress.
export async function refresh() {
  state.progress = await load() ?? state.progress;
}

export async function keep(progress) {
  state.progress = progress;
  await save(progress);
}

// Open an exercise with numbers `number`, counted from 0; number 0 are the numbers of the problem.
export function open(item, { number = 0, trap = "", screen = "practise" } = {}) {
  const level = state.progress.items?.[item]?.level ?? 1;
  return take({ do: "new", item, seed: number ? seed() : "1", number, trap, level }, screen);
}

// Open what is due, else the first unfinished exercise after `after`; without progress, the first exercise.
export function openNext({ screen = "practise", after = "" } = {}) {
  const { progress } = state;
  const isNew = ![progress.items, progress.mistakes].some((records) => Object.keys(records ?? {}).length);
  return isNew ? open(allItems()[0].id, { screen }) : take({ do: "next", seed: seed(), after, progress, day: today() }, screen);
}

export const seed = () => String(Math.random()).slice(2, 10);

// The page stays until there are numbers, so a failure loses nothing. Hints and the last check are stored with the
// answers, for other screens and a reload.
async function take(request, screen) {
  note(words.DRAWING);
  const shown = await ask(request).catch((error) => note(error.message));
  if (!shown) return;
  state.open = { task: shown.task, shown, answers: {}, before: {}, hints: {}, hinted: false, met: {}, checked: null };
  go(screen);
}

// Show a line next to the focused button.
function note(text) {
  document.getElementById("note")?.remove();
  const home = document.activeElement.closest("#main p, #main li") ?? document.getElementById("main");
  home.append(h("span", { id: "note", role: "status" }, text));
}

// Open a screen; app.js shows it. A screen that is open is shown anew.
export function go(screen) {
  if (location.hash === `#${screen}`) window.dispatchEvent(new Event("hashchange"));
  else location.hash = screen;
}

export const allItems = () => state.course.groups.flatMap((group) => group.items);

export function fail(error) {
  show(h("p", { role: "alert", class: "fault" }, error.message), h("p", {}, h("a", { href: "#choose" }, words.SCREENS.choose)));
}
