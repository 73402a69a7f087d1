// Makes an element: h("p", { class: "ask" }, "text", child). Texts never become tags. `html` is for text and MathML
// that attncalc has escaped. The page's policy prevents scripts in it.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "html") element.innerHTML = value;
    else if (name === "value" || name === "checked") element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(Boolean));
  return element;
}

// Replaces the children of an element. Equal children stay, so that screen readers do not read them again.
export function fill(element, ...children) {
  const made = h(element.tagName, {}, ...children);
  if (made.innerHTML !== element.innerHTML) element.replaceChildren(...made.childNodes);
}

// A box that is wider than the page can get the focus, so that the arrow keys scroll it.
const sizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isReached = target.scrollWidth <= target.clientWidth + 1 || target.querySelector("input, a, [tabindex='0']");
    if (isReached) target.removeAttribute("tabindex");
    else target.tabIndex = 0;
  }
});

export function scroll(element) {
  element.classList.add("scroll");
  sizes.observe(element);
  return element;
}

export const button = (text, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, text);

export const show = (...children) => document.getElementById("main").replaceChildren(...children.flat().filter(Boolean));

export const today = () => new Date().toLocaleDateString("sv"); // the Swedish format is 2026-11-23

// Returns a number as printed, with − and ∞.
export const printed = (text) => text.replace("-", "−").replace("inf", "∞");
