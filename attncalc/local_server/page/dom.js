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

export const button = (text, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, text);

export const show = (...children) => document.getElementById("main").replaceChildren(...children.flat().filter(Boolean));

export const today = () => new Date().toLocaleDateString("sv"); // as Swedes write it: 2026-11-23

// A number as it is printed: a real minus sign, ∞.
export const printed = (text) => text.replace("-", "−").replace("inf", "∞");
