// The scanned pages of a paper. The place of an entry is lit, and scrolled into the middle.
import * as words from "./data_entry_messages.js";
import { button, h, scroll } from "./dom.js";
import { ask } from "./transport.js";

const MOST = 12; // pictures that are kept
const pictures = new Map();

function picture(code, page, scan) {
  const name = `${code} ${page} ${scan}`;
  if (!pictures.has(name)) {
    pictures.set(name, ask({ do: "picture", code, page, scan }).then(({ url }) => url));
    pictures.get(name).catch(() => pictures.delete(name));
  }
  if (pictures.size > MOST) pictures.delete(pictures.keys().next().value);
  return pictures.get(name);
}

// `scan` has the pages of a paper, and `places`: the page and the box of each entry.
export function paneOf(code, scan) {
  const notes = [scan?.missing.length && words.MISSING(scan.missing), scan?.repeated.length && words.REPEATED(scan.repeated)].filter(Boolean);
  if (!scan?.pages.length) return { element: h("aside", { class: "pane" }, h("p", { class: "fine" }, [words.NO_SCAN, ...notes].join(" "))), light: () => null };
  const image = h("img", { alt: "" });
  const lit = h("div", { class: "lit", hidden: true });
  const view = scroll(h("div", { class: "view", role: "group", tabindex: 0 }, h("div", { class: "sheet" }, image, lit)));
  const tabs = scan.pages.map(([page, number]) => button(words.PAGE(page, number), () => { turn(page, null, number).catch(fail); }));
  const fault = h("p", { class: "fault", role: "status" });
  let shown = null, wanted = null;

  const fail = (error) => { fault.textContent = error.message; };

  async function turn(page, box = null, number = 1) {
    const mine = wanted = {};
    if (shown !== `${page} ${number}`) {
      const url = await picture(code, page, number);
      if (wanted !== mine) return;
      image.src = url;
      await image.decode();
      if (wanted !== mine) return;
      shown = `${page} ${number}`;
      image.alt = words.PAGE_OF(page, code);
      view.setAttribute("aria-label", image.alt);
      tabs.forEach((tab, k) => tab.setAttribute("aria-pressed", String(scan.pages[k].join(" ") === shown)));
    }
    lit.hidden = !box;
    if (box) centre(box);
    else view.scrollTo(0, 0);
  }

  function centre([x, y, width, height]) {
    const [across, down] = [100 / image.naturalWidth, 100 / image.naturalHeight];
    for (const [side, length] of Object.entries({ left: x * across, top: y * down, width: width * across, height: height * down })) {
      lit.style.setProperty(side, `${length}%`);
    }
    const scale = image.clientWidth / image.naturalWidth;
    view.scrollTo((x + width / 2) * scale - view.clientWidth / 2, (y + height / 2) * scale - view.clientHeight / 2);
  }

  const light = (column) => {
    const place = scan.places[column];
    if (place) turn(place[0], place.slice(1)).catch(fail);
    else if (!shown) turn(scan.pages[0][0]).catch(fail);
  };
  const heads = tabs.length > 1 ? h("p", { class: "tools" }, tabs) : null;
  const note = notes.length ? h("p", { class: "fine" }, notes.join(" ")) : null;
  return { element: h("aside", { class: "pane", "aria-label": words.SCAN }, heads, view, note, fault), light };
}
