// Lets the reader see, sort, filter and take along all rows of a long table. The page has the first of them; those after
// them, and all that a sort or a filter asks for, are made from the data of the module.
import { counted, humanBytes } from "./bytes.js";
import { columnsOf, rowOf } from "./cells.js";
import { isSingleFile, loadTimeline, loadValues } from "./data.js";
import { make } from "./dom.js";
import { MANY } from "./drawing.js";
import { saveText } from "./save.js";
import * as State from "./state.js";
import { CHOICES, FILTERS, TEXTS, allocationSource, csv, groupSource, ordered, scheduleSource, valueKeys } from "./table-rows.js";
import { parseOrder } from "./tables.js";

/** @typedef {import("./table-rows.js").Source} Source
 * @typedef {import("./table-rows.js").Filters} Filters */

// Fewer of a filter on very many, because a browser lays out a thousand rows in a second or more.
const ROWS_AT_ONCE = 1000, FIRST_ROWS = 50;
const MOST_CHOICES = 300, OPEN_CHOICES = 2, REST_MILLISECONDS = 200;
const WORKING = "Filtering…";

/** Return words by how many values have them, the most first. */
const byCount = (/** @type {string[]} */ table, /** @type {number[]} */ column) => {
  const count = new Array(table.length).fill(0);
  column.forEach((word) => { count[word] += 1; });
  return [...table.keys()].filter((word) => count[word] && table[word]).sort((one, other) => count[other] - count[one])
    .slice(0, MOST_CHOICES).map((word) => ({ text: table[word], count: count[word] }));
};

/** Return the controls, not filled yet. A page that shows the moment of a chart has none that asks for another. */
const makeControls = (/** @type {string} */ id, /** @type {string} */ when) => {
  const find = make("input", { type: "search", name: "words", placeholder: "name, operation, source, shape", size: "28", autocomplete: "off" });
  const selects = CHOICES.map((name) =>
    make("label", {}, [`${name[0].toUpperCase()}${name.slice(1)} `, make("select", { name }, [new Option("all", "")])]));
  const boxes = TEXTS.map((name) => make("label", {}, [
    `${name[0].toUpperCase()}${name.slice(1)} `,
    make("input", { type: "search", name, list: `${id}-${name}`, placeholder: "contains", size: "14", autocomplete: "off" }),
    make("datalist", { id: `${id}-${name}` })
  ]));
  const moment = make("input", { type: "number", name: "moment", min: "0", size: "6", placeholder: "any" });
  const padded = make("input", { type: "checkbox", name: "padded" });
  return make("form", { class: "controls filters", "aria-label": "Filter all rows" }, [
    make("label", {}, ["Find ", find]), ...selects.slice(0, OPEN_CHOICES), ...(when ? [make("label", {}, [when, moment])] : []),
    make("details", {}, [
      make("summary", {}, ["More filters"]),
      make("div", { class: "controls" }, [...selects.slice(OPEN_CHOICES), make("label", {}, [padded, " Padded"]), ...boxes])
    ]),
    make("button", { type: "button", name: "clear" }, ["Clear"]),
    make("button", { type: "button", name: "csv" }, ["Download CSV"]),
    make("output", { class: "readout" })
  ]);
};

const fillControls = (/** @type {HTMLFormElement} */ form, /** @type {Values} */ values) => {
  const field = (/** @type {string} */ name) => /** @type {HTMLSelectElement} */ (form.elements.namedItem(name));
  const options = (/** @type {string} */ name, /** @type {[string, string][]} */ choices) =>
    field(name).append(...choices.map(([text, value]) => new Option(text, value)));
  const withCount = (/** @type {{text: string, count: number}[]} */ words) =>
    words.map(({ text, count }) => /** @type {[string, string]} */ ([`${text} (${counted(count)})`, text]));
  options("space", Object.entries(values.spaces).map(([color, name]) => [`${color} · ${name}`, color]));
  options("class", withCount(byCount(values.classes, values.allocation.map((allocation) => values.allocations.class[allocation]))));
  options("opcode", withCount(byCount(values.opcodes, values.opcode)));
  const { index, size } = values.allocations;
  options("allocation", [...index.keys()].sort((one, other) => size[other] - size[one]).slice(0, MOST_CHOICES)
    .map((number) => [`${index[number]} (${humanBytes(size[number])})`, String(number)]));
  const suggest = (/** @type {string} */ name, /** @type {string[]} */ table, /** @type {number[]} */ column) =>
    form.querySelector(`[name="${name}"] + datalist`)?.append(...byCount(table, column).map(({ text }) => new Option(text)));
  suggest("scope", values.scopes, values.scope);
  suggest("source", values.sources, values.source);
  suggest("shape", values.shapes, values.shape);
};

/** Return the bytes of rows at one moment for each memory space, in words. Spaces are never added up.
 * @type {(values: Values, source: Source, rows: any[]) => string} */
const totals = (values, source, rows) => {
  const { space, size } = source;
  if (!space || !size) return "";
  const sums = new Map();
  rows.forEach((row) => sums.set(space(row), (sums.get(space(row)) ?? 0) + size(row)));
  return [...sums].sort(([one], [other]) => one - other)
    .map(([color, size]) => `; ${humanBytes(size)} in space ${color} (${values.spaces[color]})`).join("");
};

/** Return whether a table of this kind is the one that the address asks for. */
const isAskedFor = (/** @type {string} */ kind) => isSingleFile() || (State.get("view") ?? "values") === kind;

/** Let the reader open a fold, one row for several instructions that hardly change memory; `rowsOf` makes the rows of its
 * first moment to its last.
 * @type {(fold: HTMLTableRowElement, rowsOf: (first: number, last: number) => Promise<HTMLTableRowElement[]>) => void} */
const startFold = (fold, rowsOf) => {
  const cell = fold.cells[fold.cells.length - 1];
  const button = make("button", { type: "button" }, [cell.textContent ?? ""]);
  cell.replaceChildren(button);
  button.addEventListener("click", async () => {
    const rows = await rowsOf(Number(fold.dataset.first), Number(fold.dataset.last));
    fold.replaceWith(...rows);
    // They are within the brackets that the fold is in, and the keyboard goes on where the button was.
    rows.forEach((row) => { row.className = fold.className.replace("fold", ""); });
    rows[0].tabIndex = -1;
    rows[0].focus({ preventScroll: true });
  });
};

const startWholeTable = (/** @type {HTMLTableElement} */ table) => {
  const columns = columnsOf(table), { whole: kind = "", moments, space = "" } = table.dataset;
  const body = table.tBodies[0], originalRows = [...body.rows], caption = table.caption?.textContent ?? "";
  const region = /** @type {HTMLElement} */ (table.closest(".scroll"));
  const when = !table.closest("details[data-view]") ? "" : kind === "values" ? "At instruction " : kind === "instructions" ? "From instruction " : "";
  const form = makeControls(`filter-${kind}`, when), more = make("button", { type: "button", class: "more", hidden: "" });
  const total = Number(table.dataset.count), covered = originalRows.filter((row) => !row.matches(".fold")).length;
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));
  const output = /** @type {HTMLOutputElement} */ (form.querySelector("output"));
  region.before(form);
  region.after(more);

  let loading = /** @type {Promise<{values: Values, source: Source}> | null} */ (null), isOriginal = false;
  const load = () => loading ??= (async () => {
    const values = await loadValues();
    const source = kind === "instructions" ? scheduleSource(values, await loadTimeline(), space)
      : kind === "allocations" ? allocationSource(values)
      : { ...groupSource(values), moments: Number(moments) };
    fillControls(form, values);
    return { values, source };
  })();

  originalRows.filter((row) => row.matches(".fold[data-first]")).forEach((fold) => startFold(fold, async (first, last) => {
    const { values, source } = await load();
    return source.rows.filter((moment) => moment >= first && moment <= last).map((row) => rowOf(values, source, columns, row));
  }));

  const names = FILTERS.filter((name) => field(name));
  const filters = () => /** @type {Filters} */ (Object.fromEntries(names.map((name) => [name, State.get(name) ?? ""])));
  const order = () => parseOrder(State.get("sort"), columns.length);
  const isNarrowed = () => order() !== null || Object.values(filters()).some(Boolean);
  // In a single file the values have no pages, so scripts make all of their rows.
  const isAsked = () => isSingleFile() || (isAskedFor(kind) && isNarrowed());
  const chosen = (/** @type {Source} */ source) => {
    const asked = order(), rows = source.filter(filters());
    return asked ? ordered(rows, source.keys[columns[asked.column].key], asked.descending) : rows;
  };

  /** Say how many rows there are after those that are shown, and let the reader ask for them.
   * @type {(shown: number, all: number, show: () => void) => void} */
  const offer = (shown, all, show) => {
    const next = Math.min(ROWS_AT_ONCE, all - shown);
    more.hidden = next <= 0;
    more.textContent = `Show ${counted(next)} more of ${counted(all)}`;
    more.onclick = show;
  };

  /** Append the rows after those that are shown.
   * @type {(values: Values, source: Source, rows: any[], shown: number, count?: number) => void} */
  const extend = (values, source, rows, shown, count = ROWS_AT_ONCE) => {
    const next = shown + count;
    isOriginal = false;
    body.append(...rows.slice(shown, next).map((row) => rowOf(values, source, columns, row)));
    offer(next, rows.length, () => extend(values, source, rows, next));
  };

  const showOriginal = () => {
    // Most changes of the address are about another table.
    if (isOriginal) return;
    isOriginal = true;
    body.replaceChildren(...originalRows);
    if (table.caption) table.caption.textContent = caption;
    output.textContent = "";
    offer(kind === "instructions" ? total : covered, total, async () => {
      const { values, source } = await load();
      extend(values, source, source.rows, covered);
    });
  };

  const restoreFields = () => {
    names.forEach((name) => {
      const box = field(name);
      if (!box || document.activeElement === box) return;
      if (box.type === "checkbox") box.checked = State.get(name) !== null; else box.value = State.get(name) ?? "";
    });
    if (["padded", ...CHOICES.slice(OPEN_CHOICES), ...TEXTS].some((name) => State.get(name))) /** @type {HTMLDetailsElement} */ (form.querySelector("details")).open = true;
  };

  const show = async () => {
    if (!isAsked()) {
      restoreFields();
      return showOriginal();
    }
    output.textContent = WORKING;
    const { values, source } = await load();
    restoreFields();
    // The reader may have taken the question back meanwhile.
    if (!isAsked()) return;
    const rows = chosen(source);
    body.replaceChildren();
    extend(values, source, rows, 0, source.all > MANY ? FIRST_ROWS : ROWS_AT_ONCE);
    // How many there are says more.
    if (table.caption) table.caption.textContent = "";
    output.textContent = `${counted(source.count(rows))} of ${counted(source.all)} ${source.noun}${State.get("moment") ? totals(values, source, rows) : ""}`;
  };

  const ask = (/** @type {Record<string, string | null>} */ changes, options = {}) =>
    State.set({ ...(isSingleFile() ? {} : { view: kind === "values" ? null : kind }), ...changes }, options);
  let timer = 0;
  form.addEventListener("submit", (event) => event.preventDefault());
  CHOICES.forEach((name) => field(name)?.addEventListener("change", () => ask({ [name]: field(name)?.value ?? null })));
  field("padded")?.addEventListener("change", () => ask({ padded: field("padded")?.checked ? "yes" : null }));
  ["words", "moment", ...TEXTS].forEach((name) => field(name)?.addEventListener("input", () => {
    output.textContent = WORKING;
    clearTimeout(timer);
    timer = window.setTimeout(() => ask({ [name]: field(name)?.value.trim() ?? null }, { replace: true }), REST_MILLISECONDS);
  }));
  field("clear")?.addEventListener("click", () => ask(Object.fromEntries([...names, "sort"].map((name) => [name, null]))));
  field("csv")?.addEventListener("click", async () => {
    const { source, values } = await load(), rows = chosen(source);
    // A row of equal values is as many rows of a file, with all that is known of each.
    const isGrouped = kind === "values";
    const keys = isGrouped ? valueKeys(values) : source.keys, heads = Object.keys(keys).filter((key) => key !== "bar");
    const single = isGrouped ? rows.flatMap(({ numbers }) => numbers) : rows;
    saveText(`${kind}.csv`, "text/csv", csv(heads, single.map((row) => heads.map((key) => keys[key](row)))));
  });
  State.onChange((keys) => { if (keys.some((key) => ["sort", "view"].includes(key) || names.includes(key))) show(); });
  if (isAskedFor(kind) && isNarrowed()) return show();
  if (!isSingleFile()) showOriginal();
  // Loaded once the page is idle, so that the choices are there before a reader opens a list of them.
  if (isAskedFor(kind)) addEventListener("load", () => setTimeout(isSingleFile() ? show : load, REST_MILLISECONDS));
};

/** Open the table that the address asks for, and keep in it which one is open. */
const startParts = () => {
  const parts = /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details[data-view]"));
  const show = () => parts.forEach((part) => { if (isAskedFor(part.dataset.view ?? "")) part.open = true; });
  parts.forEach((part) => part.addEventListener("toggle", () => {
    const { view = "" } = part.dataset;
    if (part.open && !isAskedFor(view)) State.set({ view: view === "values" ? null : view, sort: null }, { replace: true });
  }));
  State.onChange((keys) => { if (keys.includes("view")) show(); });
  if (parts.length) show();
};

/** Give every table of the page that names its columns controls that cover all of its rows. */
export const startWholeTables = () => {
  /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-whole]")).forEach(startWholeTable);
  startParts();
};
