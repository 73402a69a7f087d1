// Elements in a line: h("p", { class: "ask" }, "text", child). Texts become text, never tags; `html` is words and MathML
// that attncalc wrote and escaped. Scripts in it could not run, by the page's policy.
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

// Puts children in the place of others, and leaves the same ones alone: what did not change is not read aloud again.
export function fill(element, ...children) {
  const made = h(element.tagName, {}, ...children);
  if (made.innerHTML !== element.innerHTML) element.replaceChildren(...made.childNodes);
}

// A box that goes on at the side takes the focus, so that the arrow keys move it.
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

export const today = () => new Date().toLocaleDateString("sv"); // as Swedes write it: 2026-11-23

// A number as it is printed: a real minus sign, ∞.
export const printed = (text) => text.replace("-", "−").replace("inf", "∞");
