// The screens, and what they share: the course, the progress of this person, and the exercise that is open.
import { choose } from "./exercise_list.js";
import { h, show, today } from "./dom.js";
import { play } from "./playground.js";
import { practise } from "./exercise.js";
import { progressScreen } from "./progress.js";
import { ask, keepOpen, keptOpen, load, save, start } from "./transport.js";
import * as words from "./practice-words.js";

const screens = { choose, practise, play, progress: progressScreen };

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

export function go(screen) {
  if (location.hash === `#${screen}`) route();
  else location.hash = screen;
}

function navigation(current) {
  const links = Object.entries(words.SCREENS).map(([name, text]) =>
    h("a", { href: `#${name}`, "aria-current": name === current ? "page" : null, class: "screen" }, text));
  document.getElementById("screens").replaceChildren(...links);
}

async function route() {
  const name = location.hash.slice(1);
  if (name === "main") return;
  const current = name in screens ? name : "choose";
  navigation(current);
  await refresh().catch(fail);
  if ((current === "practise" || current === "play") && !state.open) return openNext({ screen: current }).catch(fail);
  await screens[current]().catch(fail);
  document.title = `${words.SCREENS[current]} · attncalc`;
  document.getElementById("main").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

const allItems = () => state.course.groups.flatMap((group) => group.items);

export function fail(error) {
  show(h("p", { role: "alert", class: "fault" }, error.message), h("p", {}, h("a", { href: "#choose" }, words.SCREENS.choose)));
}

// Return the exercise that was open when the page was left, with its answers; null for another course.
function remembered() {
  const open = keptOpen();
  return allItems().some((item) => item.id === open?.task?.item && open.hints) ? open : null;
}

async function begin() {
  navigation("choose");
  start((says) => { document.getElementById("python").textContent = says; });
  [state.course] = await Promise.all([ask({ do: "course" }), refresh()]);
  state.open = remembered();
  const items = allItems();
  window.addEventListener("hashchange", route);
  window.addEventListener("pagehide", () => keepOpen(state.open));
  if (items.length === 1 && !location.hash) await open(items[0].id);
  else await route();
}

begin().catch(fail);
