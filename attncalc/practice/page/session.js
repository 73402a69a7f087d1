// The data that screens share: the course, the user's progress, and the open exercise.
import { h, show, today } from "./dom.js";
import { ask, draftOf, keepDraft, lastShown, load, save, tabItem } from "./transport.js";
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

const ahead = { text: "", response: null }; // a request that the user will probably need next, and its response

// Send a request before the user needs its response.
export function prepare(request) {
  Object.assign(ahead, { text: JSON.stringify(request), response: ask(request) });
  ahead.response.catch(() => { ahead.text = ""; });
}

export const isStarted = (draft) => Object.values(draft?.answers ?? {}).flat(2).some(Boolean);
export function isUnfinished(item) {
  const draft = draftOf(item);
  return isStarted(draft) && !(draft.checked?.done && draft.isLast);
}

const isSame = (task, other) => JSON.stringify(task) === JSON.stringify(other);

// Store the open exercise. Steps that were typed only in another tab stay.
export function keepOpen() {
  const { shown, played, ...draft } = state.open;
  const { task, answers } = draft, stored = draftOf(task.item);
  const others = isSame(stored?.task, task) ? stored.answers : {};
  keepDraft(task.item, { ...draft, answers: { ...others, ...answers }, level: shown.level, isLast: task.stage + 1 === shown.stages.length });
}

// Store the shown exercise, so that it can be restored without a request.
export function keepShown() {
  const { task, shown } = state.open;
  tabItem(task.item);
  lastShown({ task, shown });
  keepOpen();
}

let actions = 0; // how often the user has opened or changed an exercise

// Return a function that tells whether this is still the user's last action. A late response must change nothing.
export function newest() {
  const mine = ++actions, screen = location.hash;
  return () => mine === actions && screen === location.hash;
}

// Open an exercise in its stored state, on a screen.
export async function resume(item, screen) {
  const isNewest = newest(), { level, isLast: _, ...draft } = draftOf(item), last = lastShown();
  const isLast = isSame(last?.task, draft.task) && last.shown.level === level;
  const shown = isLast ? last.shown : await ask({ do: "show", task: draft.task, level });
  if (!isNewest()) return;
  state.open = { ...draft, shown };
  keepShown();
  if (screen) go(screen);
}

// Open an exercise in its stored state if it is unfinished, otherwise with the next numbers.
export const openItem = (item) =>
  (isUnfinished(item) ? resume(item, "practise") : open(item, { number: state.progress.items?.[item]?.done ?? 0 }));

// Open the exercise of a link: in its stored state if the numbers are the same, otherwise with the numbers of the link.
export function openLink(item, seed = "1", number = "0") {
  const { task } = draftOf(item) ?? {};
  const isStored = task?.seed === seed && String(task.number) === number;
  return isStored ? resume(item, "practise") : open(item, { seed, number: Number(number) });
}

export const linkOf = ({ item, seed, number }) => `#${["practise", item, seed, number].map(encodeURIComponent).join("/")}`;

// Return to the previous numbers. A second call returns to the present numbers.
export async function back() {
  const { previous, ...now } = draftOf(state.open.task.item);
  keepDraft(now.task.item, { ...previous, previous: now });
  await resume(now.task.item, "practise");
}

// Open an exercise with its numbers for `number`. Number 0 has the numbers of the problem.
export function open(item, { number = 0, seed: given, trap = "", screen = "practise" } = {}) {
  const level = state.progress.items?.[item]?.level ?? 1;
  return take({ do: "new", item, seed: given ?? (number ? seed() : "1"), number, trap, level }, screen);
}

// Open a due exercise, or else the first unfinished exercise. Without progress, open the first exercise.
export function openNext({ screen = "practise" } = {}) {
  const { progress } = state;
  const isNew = ![progress.items, progress.mistakes].some((records) => Object.keys(records ?? {}).length);
  return isNew ? open(allItems()[0].id, { screen }) : take(nextAfter(""), screen);
}

// The request for a due exercise, or else for the first unfinished exercise after `item`.
export const nextAfter = (item) => ({ do: "next", seed: seed(), after: item, progress: state.progress, day: today() });

// Open an exercise with the given answers, or in its stored state if the numbers are the same.
export async function openWith(shown, answers) {
  const { item } = shown.task;
  if (isSame(draftOf(item)?.task, shown.task)) return resume(item, "practise");
  begin(shown, answers);
  go("practise");
}

export const seed = () => String(Math.random()).slice(2, 10);

// Request an exercise and open it. After an error, the page stays. An exercise that was never opened begins with its
// idea.
export async function take(request, screen = "practise") {
  note(words.DRAWING);
  const isNewest = newest();
  const response = ahead.text === JSON.stringify(request) ? ahead.response : ask(request);
  const shown = await response.catch((error) => note(error.message));
  if (!shown || !isNewest()) return;
  const { item } = shown.task;
  const isFirst = screen === "practise" && !draftOf(item) && !state.progress.items?.[item];
  begin(shown);
  go(isFirst ? "idea" : screen);
}

// Store an exercise with new numbers, and the previous numbers for `back`. Hints and the last check are stored with the
// answers, for other screens and a reload.
function begin(shown, answers = {}) {
  const { previous: earlier = null, ...stored } = draftOf(shown.task.item) ?? {};
  const previous = isStarted(stored) ? stored : earlier;
  state.open = { task: shown.task, shown, answers, before: {}, hints: {}, hinted: false, met: {}, checked: null, previous };
  keepShown();
}

// Show a line next to the focused button.
export function note(text) {
  document.getElementById("note")?.remove();
  const home = document.activeElement.closest("#main p, #main li") ?? document.getElementById("main");
  home.append(h("span", { id: "note", role: "status" }, text));
}

// Open a screen, which app.js shows. If it is already open, show it again.
export function go(screen) {
  if (location.hash === `#${screen}`) window.dispatchEvent(new Event("hashchange"));
  else location.hash = screen;
}

export const allItems = () => state.course.groups.flatMap((group) => group.items);

export function fail(error) {
  show(h("p", { role: "alert", class: "fault" }, error.message), h("p", {}, h("a", { href: "#choose" }, words.SCREENS.choose)));
}
