// Cells of tables that scripts make, one form for each kind of column, as `page_table.py` makes those of the pages.
import { counted, humanBytes } from "./bytes.js";
import { moduleFolder } from "./data.js";
import { make } from "./dom.js";
import { allocationHref, valueHref } from "./hrefs.js";
import { authorName } from "./names.js";

/**
 * @typedef {{key: string, kind: string, namesRows: boolean}} Column
 * @typedef {string | Node} Content
 * @typedef {import("./table-rows.js").Source} Source
 */

// As in `reportgen/render/html/origin.py`.
const LONGEST_SCOPE = 56;
const LONGEST_CODE = 60;
const MOST_NAMED = 6;

/**
 * Return the name of a value as a link to it.
 * @param {Values} values
 * @param {number} number
 */
export const valueLink = (values, number) =>
  make("a", { href: moduleFolder() + valueHref(values, number) }, [values.name[number] + values.index[number]]);

/**
 * Return a link to the page of an allocation.
 * @param {Values} values
 * @param {number} allocation
 */
const allocationLink = (values, allocation) =>
  make("a", { href: moduleFolder() + allocationHref(values, allocation) }, [`allocation ${values.allocations.index[allocation]}`]);

/** Return an amount of bytes, or a dash where it is not known. */
const bytes = (/** @type {number} */ size) => Number.isFinite(size)
  ? make("data", { value: String(size), title: `${counted(size)} bytes` }, [humanBytes(size)])
  : make("span", { class: "none", title: "unknown" }, ["–"]);

/** Return words with the color of a class of memory. */
const chip = (/** @type {string} */ memoryClass, /** @type {string} */ text) =>
  make("span", { class: `chip class-${memoryClass}` }, [text]);

/**
 * Return the end of a value's name, which says most, and file and line; the tooltips have the whole.
 * @param {Values} values
 * @param {number} number
 * @returns {Content[]}
 */
const origin = (values, number) => {
  const called = authorName(values, number), own = values.sources[values.source[number]];
  // An argument has no line of its own.
  const source = own || values.sources[values.firstRead[number]], before = own ? "" : "read first at ";
  const end = called.slice(-LONGEST_SCOPE), slash = end.indexOf("/");
  const shown = called.length <= LONGEST_SCOPE ? called : `…${slash < 0 ? end : end.slice(slash)}`;
  const name = make("code", { title: called }, [shown]);
  const relation = values.relations[values.relation[number]], words = relation ? `${relation} ` : "";
  const line = make("span", { class: own ? "source" : "source first-read", title: before + source }, [before + source.slice(source.lastIndexOf("/") + 1)]);
  return source ? [words, name, " ", line] : [words, name];
};

/**
 * Return the name of an instruction, linked to a value that it defines, if any.
 * @param {Values} values
 * @param {string} name
 * @param {number | undefined} number
 */
const instruction = (values, name, number) => number === undefined ? name : make("a", { href: valueLink(values, number).href }, [name]);

/**
 * Return whose some bytes of a peak are, or what they are reserved for.
 * @param {Values} values
 * @param {{value: number, of: number}} share
 * @returns {Content[]}
 */
const owner = (values, { value, of }) => {
  const words = value >= 0 ? [] : [make("em", {}, [of < 0 ? "reserved, never used" : "reserved for"]), " "];
  return of < 0 ? words : [...words, valueLink(values, of)];
};

/**
 * Return a bar of one part in the scale of the largest, and what share of the whole it is.
 * @param {{share: number, width: number, look: string}} part
 * @returns {Content[]}
 */
const parts = ({ share, width, look }) => {
  const fill = make("span", { class: `fill-${look}`, style: `width:${(100 * width).toFixed(2)}%` });
  return [make("span", { class: "bar", "aria-hidden": "true" }, [fill]), `${(100 * share).toFixed(1)} %`];
};

/**
 * What is drawn for each kind of column, from what the source of the rows has for it.
 * @type {Record<string, (values: Values, what: any) => Content[]>}
 */
export const CELLS = {
  allocation: (values, allocation) => [allocationLink(values, allocation)],
  bytes: (_, size) => [bytes(size)],
  chip: (_, [memoryClass, text]) => [chip(memoryClass, text)],
  code: (_, text) => text ? [make("code", {}, [text.length > LONGEST_CODE ? `${text.slice(0, LONGEST_CODE - 1)}…` : text])] : [],
  count: (_, count) => [make("data", { value: String(count) }, [counted(count)])],
  instruction: (values, [name, number, again, first]) =>
    again ? [instruction(values, name, number), " ", make("small", {}, ["recomputes ", instruction(values, again, first)])]
      : [instruction(values, name, number)],
  moment: (_, moment) => [moment < 0 ? "–" : counted(moment)],
  origin: (values, number) => number < 0 ? [] : origin(values, number),
  owner,
  parts: (_, part) => parts(part),
  range: (_, ends) => [ends.replace(/\d+/g, (/** @type {string} */ digits) => counted(Number(digits)))],
  text: (_, text) => [text],
  value: (values, number) => [valueLink(values, number)],
  values: (values, numbers) => {
    const more = numbers.length - MOST_NAMED;
    const links = numbers.slice(0, MOST_NAMED)
      .flatMap((/** @type {number} */ number, /** @type {number} */ place) => [place ? ", " : "", valueLink(values, number)]);
    return [...links, more > 0 ? ` and ${counted(more)} more` : ""];
  }
};

/**
 * Return the columns that the heads of a table name.
 * @param {HTMLTableElement} table
 * @returns {Column[]}
 */
export const columnsOf = (table) => [.../** @type {HTMLTableSectionElement} */ (table.tHead).rows[0].cells].map(({ dataset }) =>
  ({ key: dataset.column ?? "", kind: dataset.kind ?? "", namesRows: "namesRows" in dataset }));

/**
 * Return a row of a table.
 * @param {Values} values
 * @param {Source} source
 * @param {Column[]} columns
 * @param {number} row
 */
export const rowOf = (values, source, columns, row) => make("tr", {}, columns.map(({ key, kind, namesRows }) => {
  const content = CELLS[kind](values, (source.drawn[key] ?? source.keys[key])(row));
  return namesRows ? make("th", { scope: "row" }, content) : make("td", {}, content);
}));

/** Return a cell with an amount of bytes, for the foot of a table. */
export const bytesCell = (/** @type {number} */ size) => make("td", { class: "number" }, [bytes(size)]);
