// Elements in a line: h("p", { class: "ask" }, "text", child). Texts become text, never tags.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked") element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Words and MathML that attncalc wrote and escaped; scripts in it could not run, by the page's policy.
export function maths(tag, attributes, source) {
  const element = h(tag, attributes);
  element.innerHTML = source;
  return element;
}

export function show(...children) {
  const main = document.getElementById("main");
  main.replaceChildren(...children.flat().filter(Boolean));
  return main;
}

export function today() {
  const now = new Date();
  const two = (n) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

// A number as it is printed: a real minus sign, ∞.
export const printed = (text) => text.replace("-", "−").replace("inf", "∞");
