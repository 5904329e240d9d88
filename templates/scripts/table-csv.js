// Lets the reader take along a table that is on the page as a whole, as comma-separated text with exact numbers.
import { make } from "./dom.js";
import { saveText } from "./save.js";
import { cellKey } from "./tables.js";
import { csv } from "./table-rows.js";

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
