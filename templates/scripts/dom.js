// Shorthands for building and finding elements, because every other module needs them.

/** Return the element with this id; the templates guarantee that it exists. */
export const byId = (/** @type {string} */ id) => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element #${id}`);
  return found;
};

/** Create an element with attributes and children.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[Name]} */
export const make = (name, attributes = {}, children = []) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** Create an element of a drawing with attributes and children.
 * @type {(name: string, attributes: Record<string, string | number>, children?: (Node | string)[]) => SVGElement} */
export const shape = (name, attributes, children = []) => {
  const made = /** @type {SVGElement} */ (document.createElementNS("http://www.w3.org/2000/svg", name));
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  made.append(...children);
  return made;
};
