// On a page of values: the one that the address asks for, its name in the title of a page that many share, and a link to
// the place of each on the packing map of the module.
import { make } from "./dom.js";

const parent = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-map]"));

/**
 * Return the section of the value that the address asks for, or of the only one; null on other pages.
 * @returns {Element | null}
 */
export const askedValue = () => {
  const sections = [...parent()?.children ?? []];
  return sections.length === 1 ? sections[0] : sections.find(({ id }) => `#${id}` === location.hash) ?? null;
};

/** Name the value in the title, and link each value to the map, whose data names it like its section. */
export const startValueSections = () => {
  const values = parent(), title = document.title;
  if (!values) return;
  const showTitle = () => {
    const name = values.children.length > 1 && askedValue()?.querySelector("h2")?.textContent;
    document.title = name ? `${name}${title.slice(title.indexOf(" · "))}` : title;
  };
  [...values.children].forEach(({ id, firstElementChild: heading }) =>
    heading?.after(make("p", { class: "steps" }, [make("a", { href: `${values.dataset.map}#fit=${id.slice(1)}` }, ["Show on the packing map"])])));
  addEventListener("hashchange", showTitle);
  showTitle();
};
