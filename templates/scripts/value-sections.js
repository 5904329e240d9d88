// On a page of values: the one that the address asks for, its name in the title and the crumbs of a page that many share,
// and a link to the place of each on the packing map of the module.
import { make } from "./dom.js";

const parent = () => /** @type {HTMLElement | null} */ (document.querySelector("[data-map]"));

/**
 * Return the section or the row of the value that the address asks for, or the only section; null on other pages.
 * @returns {Element | null}
 */
export const askedValue = () => {
  const sections = [...parent()?.querySelectorAll(":scope > section") ?? []];
  const asked = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  return parent() && (asked ?? (sections.length === 1 ? sections[0] : null));
};

/** Name the value in the title, and link each value to the map, whose data names it like its section. */
export const startValueSections = () => {
  const values = parent(), title = document.title, crumb = document.querySelector('header.site [aria-current="page"]');
  if (!values || !crumb) return;
  const place = crumb.textContent;
  const showTitle = () => {
    const asked = askedValue();
    crumb.textContent = asked?.querySelector("h2, th")?.textContent ?? place;
    const name = (asked?.querySelector(".xla") ?? asked?.querySelector("h2, th"))?.textContent;
    document.title = name ? `${name}${title.slice(title.indexOf(" · "))}` : title;
  };
  values.querySelectorAll(":scope > section:not(.small-values)").forEach((section) =>
    section.append(make("p", { class: "steps" }, [make("a", { href: `${values.dataset.map}#fit=${section.id.slice(1)}` }, ["Show on the packing map"])])));
  addEventListener("hashchange", showTitle);
  showTitle();
};
