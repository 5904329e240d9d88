// Lets the reader see, sort, filter and take along all rows of a long table. The page has the first of them; those after
// them, and all that a sort or a filter asks for, are made from the data of the module.
import { counted, humanBytes } from "./bytes.js";
import { columnsOf, rowOf } from "./cells.js";
import { isSingleFile, loadTimeline, loadValues } from "./data.js";
import { make } from "./dom.js";
import { MANY, painted } from "./painted.js";
import { saveText } from "./save.js";
import { peakSource } from "./peak-source.js";
import * as State from "./state.js";
import { parseOrder } from "./tables.js";
import { CHOICES, FILTERS, TEXTS, allocationSource, csv, ordered, scheduleSource, valueSource } from "./table-rows.js";

/**
 * @typedef {import("./table-rows.js").Source} Source
 * @typedef {import("./table-rows.js").Filters} Filters
 */

const ROWS_AT_ONCE = 1000;
// Of a filter on very many, because a browser lays out a thousand rows in a second or more.
const FIRST_ROWS = 200;
const MOST_CHOICES = 300;
const SHORT_ROWS = 8;
const REST_MILLISECONDS = 200;
const WORKING = "Filtering…";
const HINT = ". Find looks for words in the name, the operation, the source and the shape at once";

/**
 * Return words by how many values have them, the most first.
 * @param {string[]} table
 * @param {number[]} column
 */
const byCount = (table, column) => {
  const count = new Array(table.length).fill(0);
  column.forEach((word) => { count[word] += 1; });
  return [...table.keys()].filter((word) => count[word] && table[word]).sort((one, other) => count[other] - count[one])
    .slice(0, MOST_CHOICES).map((word) => ({ text: table[word], count: count[word] }));
};

/** Return the controls, not filled yet. */
const makeControls = (/** @type {string} */ id) => {
  const find = make("input", { type: "search", name: "words", placeholder: "name, operation, source, shape", size: "28", autocomplete: "off" });
  const selects = CHOICES.map((name) =>
    make("label", {}, [`${name[0].toUpperCase()}${name.slice(1)} `, make("select", { name }, [new Option("all", "")])]));
  const boxes = TEXTS.map((name) => make("label", {}, [
    `${name[0].toUpperCase()}${name.slice(1)} `,
    make("input", { type: "search", name, list: `${id}-${name}`, placeholder: "contains", size: "14", autocomplete: "off" }),
    make("datalist", { id: `${id}-${name}` })
  ]));
  return make("form", { class: "controls filters", "aria-label": "Filter all rows" }, [
    make("label", {}, ["Find ", find]), ...selects,
    make("details", {}, [make("summary", {}, ["One column"]), make("div", { class: "controls" }, boxes)]),
    make("button", { type: "button", name: "clear" }, ["Clear"]),
    make("button", { type: "button", name: "csv" }, ["Download CSV"]),
    make("output", { class: "readout" })
  ]);
};

/**
 * @param {HTMLFormElement} form
 * @param {Values} values
 */
const fillControls = (form, values) => {
  const field = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
  const options = (/** @type {string} */ name, /** @type {[string, string][]} */ choices) =>
    field(name).append(...choices.map(([text, value]) => new Option(text, value)));
  const withCount = (/** @type {{text: string, count: number}[]} */ words) =>
    words.map(({ text, count }) => /** @type {[string, string]} */ ([`${text} (${counted(count)})`, text]));
  options("space", Object.entries(values.spaces).map(([color, name]) => [`${color} · ${name}`, color]));
  options("class", withCount(byCount(values.classes, values.allocation.map((allocation) => values.allocations.class[allocation]))));
  options("opcode", withCount(byCount(values.opcodes, values.opcode)));
  const suggest = (/** @type {string} */ name, /** @type {string[]} */ table, /** @type {number[]} */ column) =>
    form.querySelector(`[name="${name}"] + datalist`)?.append(...byCount(table, column).map(({ text }) => new Option(text)));
  suggest("scope", values.scopes, values.scope);
  suggest("source", values.sources, values.source);
  suggest("shape", values.shapes, values.shape);
};

/**
 * Return the bytes of rows for each memory space, in words. Spaces are never added up.
 * @param {Values} values
 * @param {Source} source
 * @param {number[]} rows
 */
const totals = (values, source, rows) => {
  const { space } = source;
  if (!space) return "";
  const sums = new Map();
  rows.forEach((row) => sums.set(space(row), (sums.get(space(row)) ?? 0) + Number(source.keys.size(row))));
  return [...sums].sort(([one], [other]) => one - other)
    .map(([color, size]) => `; ${humanBytes(size)} in space ${color} (${values.spaces[color]})`).join("");
};

/** @param {HTMLTableElement} table */
const startWholeTable = (table) => {
  const columns = columnsOf(table), kind = table.dataset.whole ?? "";
  const body = table.tBodies[0], originalRows = [...body.rows], caption = table.caption?.textContent ?? "";
  const region = /** @type {HTMLElement} */ (table.closest(".scroll"));
  const form = makeControls(`filter-${kind}`), more = make("button", { type: "button", class: "more", hidden: "" });
  const total = Number(table.dataset.count), asked = () => State.get("moment");
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const output = /** @type {HTMLOutputElement} */ (form.querySelector("output"));
  region.before(form);
  region.after(more);

  /** @type {Promise<{values: Values, source: Source}> | null} */
  let loading = null;
  const load = () => loading ??= (async () => {
    const values = await loadValues();
    const { allocation, space, moment } = table.dataset;
    const source = kind === "schedule" ? scheduleSource(values, await loadTimeline())
      : kind === "peak" ? peakSource(values, Number(space), Number(moment))
      : kind === "allocations" ? allocationSource(values)
      : valueSource(values, allocation === undefined ? null : Number(allocation));
    fillControls(form, values);
    return { values, source };
  })();

  const filters = () => /** @type {Filters} */ (Object.fromEntries(FILTERS.map((name) => [name, State.get(name) ?? ""])));
  // A link to a row of the schedule that the page lacks asks for the rows from there on.
  const rowAt = (/** @type {string} */ moment) => {
    const text = counted(Number(moment));
    return originalRows.find((row) => row.cells[0].textContent === text);
  };
  const isFrom = () => kind === "schedule" && asked() !== null && !rowAt(asked() ?? "");
  const isNarrowed = () => isFrom() || State.get("only") !== null || parseOrder(State.get("sort"), columns.length) !== null || Object.values(filters()).some(Boolean);
  const isShort = originalRows.length < SHORT_ROWS && !isSingleFile();
  form.classList.toggle("short", isShort && !isNarrowed());
  // In a single file the table has no other pages, so scripts make all of its rows.
  const isAsked = () => isSingleFile() || isNarrowed();
  const chosen = (/** @type {Source} */ source, /** @type {Values} */ values) => {
    const name = State.get("only");
    if (name !== null) return source.rows.filter((row) => values.id[row] === name);
    const order = parseOrder(State.get("sort"), columns.length);
    const from = isFrom() ? Number(asked()) : -1;
    const rows = source.filter(filters()).filter((row) => row >= from);
    return order ? ordered(rows, source.keys[columns[order.column].key], order.descending) : rows;
  };

  /**
   * Say how many rows there are after those that are shown, and let the reader ask for them.
   * @param {number} shown
   * @param {number} all
   * @param {() => void} show
   */
  const offer = (shown, all, show) => {
    const next = Math.min(ROWS_AT_ONCE, all - shown);
    more.hidden = next <= 0;
    more.textContent = `Show ${counted(next)} more of ${counted(all)}`;
    more.onclick = show;
  };

  /**
   * Append the rows after those that are shown.
   * @param {Values} values
   * @param {Source} source
   * @param {number[]} rows
   * @param {number} shown
   * @param {number} [count]
   */
  const extend = (values, source, rows, shown, count = ROWS_AT_ONCE) => {
    const next = shown + count;
    body.append(...rows.slice(shown, next).map((row) => rowOf(values, source, columns, row)));
    offer(next, rows.length, () => extend(values, source, rows, next));
  };

  const showOriginal = () => {
    body.replaceChildren(...originalRows);
    if (table.caption) table.caption.textContent = caption;
    output.textContent = "";
    offer(originalRows.length, total, async () => {
      const { values, source } = await load();
      extend(values, source, source.rows, originalRows.length);
    });
    const row = kind === "schedule" && asked() ? rowAt(asked() ?? "") : undefined;
    if (row) location.replace(`#${row.id}`);
  };

  const restoreFields = () => {
    FILTERS.forEach((name) => {
      if (document.activeElement !== field(name)) field(name).value = State.get(name) ?? "";
    });
    if (TEXTS.some((name) => State.get(name))) /** @type {HTMLDetailsElement} */ (form.querySelector("details")).open = true;
  };

  const show = async () => {
    if (!isAsked()) {
      restoreFields();
      return showOriginal();
    }
    output.textContent = WORKING;
    const { values, source } = await load();
    restoreFields();
    if (source.rows.length > MANY) await painted();
    // The reader may have taken the question back meanwhile.
    if (!isAsked()) return;
    const rows = chosen(source, values);
    body.replaceChildren();
    extend(values, source, rows, 0, source.rows.length > MANY ? FIRST_ROWS : ROWS_AT_ONCE);
    if (table.caption) table.caption.textContent = isSingleFile() ? "" : "All rows that match";
    output.textContent = `${counted(rows.length)} of ${counted(source.rows.length)} ${source.noun}` +
      totals(values, source, rows) + (rows.length || !TEXTS.some((name) => State.get(name)) ? "" : HINT);
  };

  let timer = 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  CHOICES.forEach((name) => field(name).addEventListener("change", () => State.set({ only: null, [name]: field(name).value })));
  ["words", ...TEXTS].forEach((name) => field(name).addEventListener("input", () => {
    output.textContent = WORKING;
    clearTimeout(timer);
    timer = window.setTimeout(() => State.set({ only: null, [name]: field(name).value.trim() }, { replace: true }), REST_MILLISECONDS);
  }));
  field("clear").addEventListener("click", () => State.set(Object.fromEntries([...FILTERS, "sort", "only", "moment"].map((name) => [name, null]))));
  field("csv").addEventListener("click", async () => {
    const { source, values } = await load();
    saveText(`${kind}.csv`, "text/csv", csv(columns.map(({ key }) => key), chosen(source, values).map((row) => columns.map(({ key }) => source.keys[key](row)))));
  });
  State.onChange((keys) => { if (keys.some((key) => key === "sort" || key === "only" || (key === "moment" && kind === "schedule") || FILTERS.includes(key))) show(); });
  if (isNarrowed()) show();
  else if (!isSingleFile()) showOriginal();
  // Loaded once the page is idle, so that the choices are there before a reader opens a list of them.
  if (!isNarrowed()) addEventListener("load", () => setTimeout(isSingleFile() ? show : load, REST_MILLISECONDS));
};

/** Give every table of the page that names its columns controls that cover all of its rows. */
export const startWholeTables = () =>
  /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-whole]")).forEach(startWholeTable);
