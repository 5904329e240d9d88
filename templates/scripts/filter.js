// The filter box of a table, `<input data-filter-of="id of the table">`: shows the rows that hold every word in the
// columns marked `data-filtered`, gives their number, and keeps the words in the fragment. The table of modules may take several
// pages: it says on which others the filter finds something.
import { loadModules } from "./data.js";
import { byId, make } from "./dom.js";
import { rowHref } from "./hrefs.js";
import * as State from "./state.js";
import { holdsAll, wordsOf } from "./words.js";

const REST_MILLISECONDS = 200;

/** Return the text of a cell, with the whole of what it shows shortened. */
const textOf = (/** @type {HTMLTableCellElement} */ cell) =>
  [cell.textContent, ...[.../** @type {NodeListOf<HTMLElement>} */ (cell.querySelectorAll("code[title], .found-at[title]"))].map(({ title }) => title)].join("\n");

/** Return what the filter searches of each row, in lower case. */
const searchedTexts = (/** @type {HTMLTableElement} */ table) => {
  const heads = [.../** @type {HTMLTableSectionElement} */ (table.tHead).rows[0].cells];
  const columns = heads.filter((head) => head.hasAttribute("data-filtered")).map((head) => head.cellIndex);
  const text = (/** @type {HTMLTableRowElement} */ row) => columns.map((column) => textOf(row.cells[column])).join("\n");
  return new Map([...table.tBodies[0].rows].map((row) => [row, text(row).toLowerCase()]));
};

const makeFilter = (/** @type {HTMLInputElement} */ box) => {
  const table = /** @type {HTMLTableElement} */ (byId(box.dataset.filterOf ?? ""));
  const count = document.querySelector(`[data-count-of="${table.id}"]`);
  const links = box.closest(".filter")?.querySelectorAll('a[href^="#filter="]') ?? [];
  const all = Number(table.dataset.rows).toLocaleString("en");
  let texts = /** @type {Map<HTMLTableRowElement, string> | null} */ (null);
  let timer = 0;

  const show = (/** @type {string} */ query) => {
    texts ??= searchedTexts(table);
    const words = wordsOf(query);
    let shown = 0;
    texts.forEach((text, row) => {
      row.hidden = !holdsAll(text, words);
      if (!row.hidden) shown += 1;
    });
    links.forEach((link) => {
      link.setAttribute("aria-current", String(link.getAttribute("href") === `#filter=${query.trim()}`));
    });
    if (count) count.textContent = `${shown.toLocaleString("en")} of ${all} rows shown`;
  };

  const restore = () => {
    const query = State.get("filter") ?? "";
    if (box.value.trim() === query && texts) return;
    box.value = query;
    show(query);
  };

  // The rows follow at once, the address only when typing pauses, because browsers limit how often it may change.
  box.addEventListener("input", () => {
    show(box.value);
    clearTimeout(timer);
    timer = window.setTimeout(() => State.set({ filter: box.value.trim() }, { replace: true }), REST_MILLISECONDS);
  });
  State.onChange((keys) => { if (keys.includes("filter")) restore(); });
  if (State.get("filter")) restore();
};

/** Return how many modules match on each page but this one.
 * @type {(modules: Modules, words: string[], own: number) => Map<number, number>} */
const matchesElsewhere = (modules, words, own) => {
  const found = new Map();
  modules.name.forEach((name, number) => {
    const text = `${name}\nbackend:${modules.backend[number]}\n${modules.path[number]}`.toLowerCase();
    const page = modules.page[number];
    if (page !== own && holdsAll(text, words)) found.set(page, (found.get(page) ?? 0) + 1);
  });
  return found;
};

/** Follow the filter, where the table of modules takes several pages. */
const startOtherPages = () => {
  const place = document.getElementById("other-pages");
  if (!place) return;

  const show = async () => {
    const query = State.get("filter");
    place.replaceChildren();
    if (!query) return;
    const modules = await loadModules();
    // The reader may have typed on meanwhile.
    if (State.get("filter") !== query) return;
    const found = matchesElsewhere(modules, wordsOf(query), Number(place.dataset.page));
    if (found.size) place.append("and modules elsewhere: ");
    found.forEach((count, page) => {
      const href = rowHref(modules.hrefs, page, {}) + location.hash;
      place.append(make("a", { href }, [`${count.toLocaleString("en")} on page ${page}`]), " ");
    });
  };

  State.onChange((keys) => { if (keys.includes("filter")) show(); });
  show();
};

/** Let every filter box of the page filter its table. */
export const startFilters = () => {
  /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[data-filter-of]")).forEach(makeFilter);
  startOtherPages();
};
