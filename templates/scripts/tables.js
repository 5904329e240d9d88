// Sorts a table by a click on a column's head: numbers by their exact value, the rest as text.
// The fragment keeps the choice: `#sort=3d` is the first table by its fourth column, descending, and `sort-2`,
// `sort-3`, … are the tables after it. Going back restores the previous order.
import { make } from "./dom.js";
import { saveText } from "./save.js";
import * as State from "./state.js";
import { csv } from "./table-rows.js";

/** @typedef {{column: number, descending: boolean}} Order */

/** Return what a cell is sorted by: its exact number, or its text, in which the numbers of `17 to 1,230` are exact, too. */
export const cellKey = (/** @type {HTMLTableCellElement} */ cell) => {
  const data = cell.querySelector("data");
  if (data) return Number(data.value);
  const text = cell.textContent?.trim() ?? "";
  if (/^\d[\d,]*$/.test(text)) return Number(text.replaceAll(",", ""));
  if (/^\d[\d,]* to \d[\d,]*$/.test(text)) return text.replaceAll(",", "");
  return text === "–" ? -Infinity : text;
};

/** Compare two keys; numbers come before text. */
const compare = (/** @type {number | string} */ one, /** @type {number | string} */ other) => {
  if (typeof one === "number") return typeof other === "number" ? one - other : -1;
  return typeof other === "number" ? 1 : one.localeCompare(other, undefined, { numeric: true });
};

const sorted = (/** @type {HTMLTableRowElement[]} */ rows, /** @type {Order} */ { column, descending }) => {
  const keyed = rows.map((row) => ({ row, key: cellKey(row.cells[column]) }));
  const sign = descending ? -1 : 1;
  return keyed.sort((one, other) => sign * compare(one.key, other.key)).map(({ row }) => row);
};

/** Return the order that a text such as `3d` names, or null if the table has no such column. */
export const parseOrder = (/** @type {string | null} */ text, /** @type {number} */ columns) => {
  const found = /^(\d+)([ad])$/.exec(text ?? "");
  return found && Number(found[1]) < columns ? { column: Number(found[1]), descending: found[2] === "d" } : null;
};

const addButton = (/** @type {HTMLTableCellElement} */ head) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  if (head.querySelector("a")) {
    // The column's name is a link to its definition, so a sign beside it sorts.
    button.textContent = " ⇅";
    button.setAttribute("aria-label", `Sort by ${head.textContent?.trim()}`);
  } else {
    button.append(...head.childNodes);
  }
  head.append(button);
  return button;
};

/** Let the reader sort a table, the one with this number on its page. */
const makeSortable = (/** @type {HTMLTableElement} */ table, /** @type {number} */ number) => {
  const name = number && !table.dataset.whole ? `sort-${number + 1}` : "sort";
  const heads = [.../** @type {HTMLTableSectionElement} */ (table.tHead).rows[0].cells];
  const originalRows = [...table.tBodies[0].rows];
  const originalSigns = heads.map((head) => head.getAttribute("aria-sort"));

  const show = () => {
    const order = parseOrder(State.get(name), heads.length);
    // `whole-table.js` orders the rows of all pages.
    if (!table.dataset.whole) table.tBodies[0].append(...(order ? sorted(originalRows, order) : originalRows));
    heads.forEach((head, column) => {
      const direction = order?.descending ? "descending" : "ascending";
      const sign = order ? (column === order.column ? direction : null) : originalSigns[column];
      if (sign) head.setAttribute("aria-sort", sign); else head.removeAttribute("aria-sort");
    });
  };

  heads.forEach((head, column) => {
    // A bar is as long as the number beside it is large.
    if (head.matches(".needs-script, .bars")) return;
    addButton(head).addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort");
      // Numbers begin with the largest, because that is what people look for.
      const descending = sign ? sign === "ascending" : head.classList.contains("number");
      State.set({ [name]: column + (descending ? "d" : "a") });
    });
  });
  State.onChange((keys) => { if (keys.includes(name)) show(); });
  if (State.get(name)) show();
};

/** Make every table.sortable of the page sortable. */
export const makeTablesSortable = () => document.querySelectorAll("table.sortable").forEach((table, number) =>
  makeSortable(/** @type {HTMLTableElement} */ (table), number));

// A table that is on the page as a whole can be taken along, as comma-separated text with exact numbers.
const textOf = (/** @type {HTMLTableElement} */ table) => {
  const heads = [.../** @type {HTMLTableSectionElement} */ (table.tHead).rows[0].cells];
  // Buttons and bars say nothing outside of the page.
  const columns = heads.filter((head) => !head.matches(".needs-script, .bars")).map((head) => head.cellIndex);
  const names = columns.map((column) => heads[column].textContent?.replace("⇅", "").trim() ?? "");
  return csv(names, [...table.tBodies[0].rows].map((row) => columns.map((column) => cellKey(row.cells[column]))));
};

/** Add a button below each table that names its file. */
export const startTableDownloads = () =>
  /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-csv]")).forEach((table) => {
    const button = make("button", { type: "button" }, ["Download CSV"]);
    button.addEventListener("click", () => saveText(`${table.dataset.csv}.csv`, "text/csv", textOf(table)));
    table.closest(".scroll")?.after(make("p", { class: "chart-tools" }, [button]));
  });
