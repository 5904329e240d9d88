// Cells of tables that scripts make, one form for each kind of column, as `page_table.py` makes those of the pages.
import { counted, humanBytes, signedBytes } from "./bytes.js";
import { make, shape } from "./dom.js";
import { allocationHref, valueHref } from "./hrefs.js";
import { authorName, lineName, plainShape } from "./names.js";

/** @typedef {{key: string, kind: string, namesRows: boolean}} Column
 * @typedef {string | Node} Content
 * @typedef {import("./table-rows.js").Source} Source */

// As in `reportgen/render/html/origin.py`.
const LONGEST_SCOPE = 56, MOST_NAMED = 6;

/** Return the name of a value, or other words, as a link to it.
 * @type {(values: Values, number: number, words?: string) => HTMLAnchorElement} */
export const valueLink = (values, number, words) =>
  make("a", { href: valueHref(values, number) }, [words ?? values.name[number] + values.index[number]]);

/** Return a link to an allocation. */
export const allocationLink = (/** @type {Values} */ values, /** @type {number} */ allocation) =>
  make("a", { href: allocationHref(values, allocation) }, [`allocation ${values.allocations.index[allocation]}`]);

/** Return an amount of bytes, or a dash where it is not known. */
export const bytes = (/** @type {number} */ size) => Number.isFinite(size)
  ? make("data", { value: String(size), title: `${counted(size)} bytes` }, [humanBytes(size)])
  : make("span", { class: "none", title: "unknown" }, ["–"]);

/** Return words with the color of a class of memory. */
export const chip = (/** @type {string} */ memoryClass, /** @type {string} */ text) =>
  make("span", { class: `chip class-${memoryClass}` }, [text]);

/** Return the end of a value's name, which says most, and file and line; the tooltips have the whole.
 * @type {(values: Values, number: number, short?: string) => Content[]} */
export const origin = (values, number, short) => {
  const name = authorName(values, number), called = short || name, own = values.sources[values.source[number]];
  // An argument has no line of its own.
  const source = own || values.sources[values.firstRead[number]], before = own ? "" : "read first at ";
  const end = called.slice(-LONGEST_SCOPE), slash = end.indexOf("/");
  const shown = called.length <= LONGEST_SCOPE ? called : `…${slash < 0 ? end : end.slice(slash)}`;
  const code = make("code", { title: name }, [shown]), named = short === undefined ? code : make("a", { href: valueHref(values, number) }, [code]);
  const relation = values.relations[values.relation[number]], words = relation ? `${relation} ` : "";
  const line = make("span", { class: own ? "source" : "source first-read", title: before + source }, [before + lineName(source)]);
  return source ? [words, named, " ", line] : [words, named];
};

/** Return the name of an instruction, as a link to a value that it defines, if any. */
const instruction = (/** @type {Values} */ values, /** @type {string} */ name, /** @type {number | undefined} */ number) =>
  number === undefined ? name : valueLink(values, number, name);

/** Return words as a link to an instruction. @type {(moment: number, name: string) => HTMLAnchorElement} */
export const instructionLink = (moment, name) => make("a", { href: `#i${moment}` }, [name]);

/** Return a bar of one part in the scale of the largest. */
const bar = (/** @type {{width: number, look: string}} */ { width, look }) => {
  const fill = make("span", { class: `fill-${look}`, style: `width:${(100 * width).toFixed(2)}%` });
  return make("span", { class: "bar", "aria-hidden": "true" }, [fill]);
};

/** @type {Record<string, Record<string, string>>} */
const LOOKS = { bar: { class: "bars" }, change: { class: "number" } };
const STRIP = { width: 120, height: 12 };

/** Return a drawing of when something is live, over all moments of the program. */
const strip = (/** @type {{stretches: [number, number][], look: string, moments: number}} */ { stretches, look, moments }) => {
  const scale = STRIP.width / moments, words = stretches.map(([from, to]) => `live from instruction ${counted(from)} to ${counted(to)}`);
  const lines = stretches.map(([from, to]) => `M${(from * scale).toFixed(1)} ${STRIP.height / 2}h${Math.max((to + 1 - from) * scale, 0.5).toFixed(1)}`);
  const view = { viewBox: `0 0 ${STRIP.width} ${STRIP.height}`, preserveAspectRatio: "none", role: "img" };
  return shape("svg", { ...view, class: `life fill-${look}` }, [
    shape("title", {}, [words.join(", ")]), shape("path", { class: "held", d: lines.join("") })
  ]);
};

/** Return the values of a group: one as a link, several behind their number. */
const members = (/** @type {Values} */ values, /** @type {number[]} */ numbers) => {
  if (numbers.length === 1) return valueLink(values, numbers[0], "1 value");
  const details = make("details", {}, [make("summary", {}, [`${counted(numbers.length)} values`])]);
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    details.append(...numbers.flatMap((number, place) => [place ? ", " : "", valueLink(values, number)]));
  });
  return details;
};

/** What is drawn for each kind of column, from what the source of the rows has for it.
 * @type {Record<string, (values: Values, what: any) => Content[]>} */
const CELLS = {
  allocation: (values, allocation) => [allocationLink(values, allocation)],
  bar: (_, part) => [bar(part)],
  bytes: (_, size) => [bytes(size)],
  chip: (_, [memoryClass, text]) => [chip(memoryClass, text)],
  change: (_, size) => size ? [signedBytes(size)] : [],
  count: (_, count) => [make("data", { value: String(count) }, [counted(count)])],
  life: (_, life) => life.stretches.length ? [strip(life)] : [],
  members: (values, numbers) => [members(values, numbers)],
  moment: (_, moment) => [instructionLink(moment, counted(moment))],
  shape: (values, { count, number }) => [
    count > 1 ? `${counted(count)} × ` : "", make("code", { class: "shape" }, [plainShape(values.shapes[values.shape[number]])])
  ],
  step: (values, [name, number, again, first]) => [
    ...(number === undefined ? [] : [...origin(values, number, values.shortScopes[values.scope[number]]), " "]),
    make("small", { class: "xla" }, [number === undefined ? instruction(values, name, number) : name]),
    ...(again ? [" ", make("small", {}, ["recomputes ", instruction(values, again, first)])] : [])
  ],
  text: (_, text) => [text],
  thing: (values, number) => number === undefined ? [] : [...origin(values, number, values.shortScopes[values.scope[number]]), " ", make("small", { class: "xla" }, [values.name[number]])],
  values: (values, numbers) => {
    const more = numbers.length - MOST_NAMED;
    const links = numbers.slice(0, MOST_NAMED)
      .flatMap((/** @type {number} */ number, /** @type {number} */ place) => [place ? ", " : "", valueLink(values, number)]);
    return [...links, more > 0 ? ` and ${counted(more)} more` : ""];
  }
};

/** Return the columns that the heads of a table name. @type {(table: HTMLTableElement) => Column[]} */
export const columnsOf = (table) => [.../** @type {HTMLTableSectionElement} */ (table.tHead).rows[0].cells].map(({ dataset }) =>
  ({ key: dataset.column ?? "", kind: dataset.kind ?? "", namesRows: "namesRows" in dataset }));

/** Return a row of a table.
 * @type {(values: Values, source: Pick<Source, "keys" | "drawn" | "moments">, columns: Column[], row: any) => HTMLTableRowElement} */
export const rowOf = (values, source, columns, row) => make("tr", {}, columns.map(({ key, kind, namesRows }) => {
  const what = (source.drawn[key] ?? source.keys[key])(row);
  const content = CELLS[kind](values, kind === "life" ? { .../** @type {object} */ (what), moments: source.moments } : what);
  return namesRows ? make("th", { scope: "row" }, content) : make("td", LOOKS[kind] ?? {}, content);
}));

/** Return a cell with an amount of bytes, for the foot of a table. */
export const bytesCell = (/** @type {number} */ size) => make("td", { class: "number" }, [bytes(size)]);
