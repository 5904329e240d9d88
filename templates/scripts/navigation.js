// Where the keys lead: the search, the tabs, the rows of a table, the previous and next page or module.
import { isModulePage, loadModules, root } from "./data.js";
import { byId, make } from "./dom.js";
import { addKey } from "./keys.js";

const focusSearch = () => {
  const box = /** @type {HTMLInputElement} */ (byId("search"));
  box.focus();
  box.select();
};

const hasNeighbor = () => document.querySelector('a[rel="prev"], a[rel="next"]') !== null;

/** Follow the link to a neighboring page where the page is one of several, else go to the neighboring module. */
const toNeighbor = (/** @type {1 | -1} */ step) => {
  if (!hasNeighbor()) return toModule(step);
  const link = document.querySelector(step < 0 ? 'a[rel="prev"]' : 'a[rel="next"]');
  if (link) /** @type {HTMLElement} */ (link).click();
};

/** Return the file name of the view that is shown, the same in every module; null on pages of values and allocations. */
const view = () => document.querySelector("nav.tabs a[aria-current]")?.getAttribute("href")?.split("/").pop() ?? null;

/** Return the name of this module, or of the one before or after it in the order of the overview, and its page of the
 * same view. */
const neighbor = async (/** @type {1 | 0 | -1} */ step) => {
  const modules = await loadModules();
  const pages = modules.href.map((href) => new URL(root() + href, location.href));
  const here = pages.findIndex((page) => location.href.startsWith(new URL(".", page).href));
  const there = pages[here + step], shown = view();
  if (here < 0 || !there) return null;
  return { name: modules.name[here + step], path: modules.path[here + step], href: shown ? new URL(shown, there).href : there.href };
};

const toModule = async (/** @type {1 | -1} */ step) => {
  const found = isModulePage() ? await neighbor(step) : null;
  if (found) location.href = found.href;
};

/** Name the module as the overview does, which knows what tells it apart from others of its name, and add links to the
 * module before and the one after. */
const placeModule = async () => {
  const own = await neighbor(0), crumb = document.querySelector("header.site .crumbs li:nth-child(2) > :first-child");
  const name = crumb?.textContent ?? "", heading = document.querySelector("main > header.title > h1");
  if (own && crumb && own.name !== name) {
    crumb.textContent = own.name;
    if (heading) heading.textContent = own.name;
    document.title = document.title.replace(name, () => own.name);
  }
  const found = await Promise.all([neighbor(-1), neighbor(1)]);
  const links = found.flatMap((module, place) => module
    ? [make("a", { href: module.href, class: place ? "after" : "before", title: `Module ${place ? "after" : "before"} this one: ${module.path}` }, [module.name])]
    : []);
  if (links.length) document.querySelector("nav.tabs")?.append(make("nav", { class: "modules", "aria-label": "Modules before and after" }, links));
};

/** Return the first link of each visible row, in the table that has the focus or else the page's first table. */
const rowLinks = () => {
  const table = document.activeElement?.closest("table") ?? document.querySelector("main table.sortable");
  const rows = table ? [.../** @type {HTMLTableElement} */ (table).tBodies[0].rows] : [];
  return rows.filter((row) => !row.hidden)
    .map((row) => /** @type {HTMLAnchorElement | null} */ (row.querySelector("a[href]")))
    .filter((link) => link !== null);
};

const toRow = (/** @type {1 | -1} */ step) => {
  const links = rowLinks();
  const row = document.activeElement?.closest("tbody tr");
  const here = links.findIndex((link) => row?.contains(link));
  const there = links[here < 0 ? 0 : Math.min(links.length - 1, Math.max(0, here + step))];
  if (!there) return;
  there.focus();
  there.scrollIntoView({ block: "nearest" });
};

/** Add the shortcuts that lead somewhere, as far as this page has them. */
export const startNavigation = () => {
  addKey("/", "Search", focusSearch);
  document.querySelectorAll("nav.tabs a").forEach((tab, number) =>
    addKey(String(number + 1), tab.textContent ?? "", () => /** @type {HTMLElement} */ (tab).click()));
  if (isModulePage() || hasNeighbor()) {
    const what = isModulePage() ? "page or module" : "page";
    addKey("[", `Previous ${what}`, () => toNeighbor(-1));
    addKey("]", `Next ${what}`, () => toNeighbor(1));
  }
  if (rowLinks().length) {
    addKey("j", "Next row", () => toRow(1));
    addKey("k", "Previous row", () => toRow(-1));
  }
  if (isModulePage() && view()) addEventListener("load", placeModule);
  addKey("t", "Light or dark", () => byId("theme-switch").click());
};
