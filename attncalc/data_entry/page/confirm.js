// The stages before typing: groups of entries that were read as the same text, and then doubtful entries one by one.
import * as words from "./data_entry_messages.js";
import { button, h, printed, show } from "./dom.js";
import { paneOf } from "./scan_pane.js";
import { ask } from "./transport.js";

const WINDOW = String(Math.random());
const NARROW = 700; // pixels
const GLANCE = 250; // milliseconds: a key that is pressed earlier was meant for the screen before
const capacity = () => (window.innerWidth < NARROW ? 12 : 40);
const place = ({ paper, column }) => ({ paper, column });

const isTick = (entry) => entry.pictures.some(({ option }) => option);
const read = (entry) => (isTick(entry) ? words.TICKED(entry.text) : printed(entry.text) || words.BLANK);
const named = (entry) => words.at(entry.name, entry.at);

function pictures(entry, alt = "") {
  return entry.pictures.map(({ url, option }) => h("span", { class: "picture" }, option && h("b", { "aria-hidden": "true" }, option), h("img", { src: url, alt })));
}

const loaded = (root) => Promise.all([...root.querySelectorAll("img")].map((image) => image.decode()));

// Returns the text and the bar of the progress.
function progress({ certain, doubtful, unreadable, done }) {
  const all = certain + doubtful + unreadable + done;
  const text = words.PROGRESS(done, all);
  return h("p", { class: "progress" }, h("progress", { max: Math.max(all, 1), value: done, "aria-label": text }), h("span", {}, text));
}

const nobody = ({ nobody: codes }) => (codes.length ? h("p", { class: "fine" }, words.NOBODY_KNOWN(codes)) : null);

// The keys of a stage: Enter goes on, and Shift+Enter goes back. A key that is held down counts once.
function pressed(event, onward, back) {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return false;
  event.preventDefault();
  if (!event.repeat) (event.shiftKey ? back : onward)();
  return true;
}

// Moves the focus to the next picture in a direction.
function move(tiles, event) {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const at = tiles.indexOf(document.activeElement);
  if (at < 0) return tiles[0].focus();
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") return tiles[at + step]?.focus();
  const middle = (tile) => { const box = tile.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
  const [x, y] = middle(tiles[at]);
  const beyond = tiles.map((tile) => [tile, ...middle(tile)]).filter(([, , down]) => (down - y) * step > 8);
  const rank = ([, across, down]) => Math.abs(down - y) * 4 + Math.abs(across - x);
  beyond.sort((a, b) => rank(a) - rank(b))[0]?.[0].focus();
}

// `desk` has the functions `counted(counts)`, `status(text)`, `fail(error)`, `finished(text)` and `isOpen(stage)`.
export function groups(desk) {
  const earlier = [];
  let confirm = () => null;

  async function next() {
    const { groups: shown, counts } = await ask({ do: "group", window: WINDOW, most: capacity() });
    if (!desk.isOpen("groups")) return;
    desk.counted(counts);
    if (shown.length) draw(shown, counts);
    else await desk.finished("groups", nobody(counts));
  }

  function draw(shown, counts) {
    const began = performance.now();
    let isReady = false; // no picture is confirmed before it is shown
    const out = new Set(), unseen = new Set(); // unseen: pictures that are below the screen
    const entries = shown.flatMap((group) => group.entries);
    const tell = () => {
      main.textContent = unseen.size ? words.MORE : words.CONFIRM(entries.length - out.size);
      taken.textContent = out.size ? words.OUT(out.size) : "";
    };
    const toggle = (entry, tile) => {
      if (out.has(entry)) out.delete(entry);
      else out.add(entry);
      tile.setAttribute("aria-pressed", String(out.has(entry)));
      tell();
    };
    const tileOf = (entry) => h("button", { type: "button", class: "tile", "aria-pressed": "false", "aria-label": words.PICTURE(`${entry.paper}, ${named(entry)}`, read(entry)),
      title: `${entry.paper} · ${named(entry)}`, onclick: (event) => toggle(entry, event.currentTarget) }, pictures(entry), h("i", { "aria-hidden": "true" }, words.TAKEN_OUT));
    const sections = shown.map((group) => h("section", { class: group.entries.length > 9 ? "group large" : "group" },
      h("h2", {}, read(group.entries[0]), " ", group.entries.length > 1 ? h("small", {}, `× ${group.entries.length}`) : null), h("div", { class: "tiles" }, group.entries.map(tileOf))));
    const main = button("", () => confirm(), { class: "main" });
    const taken = h("span", { class: "fine", role: "status" });
    const tools = h("p", { class: "tools bar" }, main, earlier.length ? button(words.BACK, back) : null, taken, progress(counts));
    const root = h("div", { class: "confirm", onkeydown: (event) => pressed(event, () => confirm(), back) || move(tiles, event) },
      h("h1", {}, words.GROUPS), h("p", { class: "fine" }, words.GROUP_KEYS), nobody(counts), h("div", { class: "groups" }, sections), tools);
    const tiles = [...root.querySelectorAll(".tile")];
    tiles.forEach((tile) => unseen.add(tile));
    show(root);
    const seen = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) if (isIntersecting) unseen.delete(target);
      tell();
    }, { threshold: 0.9, rootMargin: `0px 0px -${tools.offsetHeight}px 0px` });
    tiles.forEach((tile) => seen.observe(tile));
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
    loaded(root).then(() => { isReady = true; }, () => desk.fail(new Error(words.NOT_SHOWN)));

    confirm = async () => {
      if (!isReady || performance.now() - began < GLANCE) return;
      const [below] = unseen;
      if (below) return below.scrollIntoView({ block: "start" });
      isReady = false;
      const all = entries.map((entry) => [entry, { ...place(entry), text: entry.text }]);
      const request = { entries: all.filter(([entry]) => !out.has(entry)).map(([, sent]) => sent), out: all.filter(([entry]) => out.has(entry)).map(([, sent]) => sent) };
      try {
        desk.status(words.SAVING);
        const { kept } = await ask({ do: "confirm", ...request });
        earlier.push(request);
        desk.status(kept.length ? words.KEPT_OTHERS(kept.length) : words.SAVED(request.entries.length));
        await next();
      } catch (error) {
        isReady = true;
        desk.fail(error);
      }
    };
  }

  async function back() {
    const request = earlier.pop();
    if (!request) return;
    try {
      await ask({ do: "reopen", ...request });
      desk.status("");
      await next();
    } catch (error) {
      earlier.push(request);
      desk.fail(error);
    }
  }

  return next().catch(desk.fail);
}

export function doubt(desk, stage) {
  const earlier = [], isReview = stage === "unreadable";
  let skip = 0;

  async function next(named = {}) {
    const { entry, counts } = await ask({ do: "doubt", window: WINDOW, unreadable: isReview, skip, ...named });
    if (!desk.isOpen(stage)) return;
    desk.counted(counts);
    if (entry) await draw(entry, counts);
    else await desk.finished(stage, nobody(counts));
  }

  async function draw(entry, counts) {
    const { column, paper: code, student } = entry;
    let kept = null; // an unreadable text that the person keeps with a second Enter
    let isBusy = false;
    const proposed = entry.there && entry.there !== desk.unreadable ? entry.there : entry.text;
    const input = h("input", { id: "reading", class: "line", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200, value: proposed,
      "aria-describedby": "unread" });
    const fault = h("p", { class: "fault", id: "unread", role: "status" });
    const store = async (text) => {
      if (isBusy) return;
      isBusy = true;
      try {
        desk.status(words.SAVING);
        const request = { student, code, whose: student, cells: { [column]: text }, seen: { [column]: entry.there } };
        const response = await ask({ do: "save", ...request });
        const [unread, other] = [response.unread.find(({ key }) => key === column), column in response.kept];
        entry.there = response.cells[column];
        desk.status(words.SAVED(1));
        if (other) {
          input.value = entry.there;
          fault.textContent = words.OTHER(entry.there);
        } else if (unread && text !== desk.unreadable && text !== kept) {
          kept = text;
          fault.textContent = `${unread.message}\n${words.AGAIN}`;
        } else {
          earlier.push(place(entry));
          await next();
        }
      } catch (error) {
        desk.fail(error);
      }
      isBusy = false;
    };
    const later = () => { skip += 1; next().catch(desk.fail); };
    const back = () => { const last = earlier.pop(); if (last) next(last).catch(desk.fail); };
    const submit = () => store(input.value.trim() === "?" ? desk.unreadable : input.value);
    const who = [student, entry.name !== student && entry.owner, code].filter(Boolean).join(" · ");
    const pane = paneOf(code, entry.scan);
    const root = h("div", { class: "confirm doubt", onkeydown: (event) => event.target.closest("button") || pressed(event, submit, back) },
      h("div", {}, h("h1", {}, `${entry.question}: ${named(entry)}`), h("p", { class: "fine" }, who),
        h("div", { class: "enlarged" }, pictures(entry, words.PICTURE(named(entry), read(entry)))), entry.isTwice ? h("p", { class: "fault" }, words.TWICE) : null,
        h("label", { for: "reading" }, entry.about ? `${words.READING}: ${entry.about}` : words.READING), input, fault,
        h("p", { class: "tools" }, button(words.SAVE, submit, { class: "main" }), button(words.CANNOT, () => store(desk.unreadable)), button(words.LATER, later),
          earlier.length ? button(words.BACK, back) : null),
        h("p", { class: "fine" }, words.DOUBT_KEYS), progress(counts)), pane.element);
    show(root);
    pane.light(column);
    input.focus({ preventScroll: true });
    input.select();
    window.scrollTo(0, 0);
  }

  return next().catch(desk.fail);
}
