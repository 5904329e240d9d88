// Cells of tables that scripts make, in the form of those that the pages have.
import { counted, humanBytes } from "./bytes.js";
import { moduleFolder } from "./data.js";
import { make } from "./dom.js";
import { allocationHref, valueHref } from "./hrefs.js";
import { authorName } from "./names.js";

// As in `reportgen/render/html/origin.py`.
const LONGEST_SCOPE = 56;

/**
 * Return a cell with an amount of bytes, or a dash where it is not known.
 * @param {number} size
 */
export const bytesCell = (size) => {
  if (!Number.isFinite(size)) return make("td", { class: "number" }, [make("span", { class: "none", title: "unknown" }, ["–"])]);
  const data = make("data", { value: String(size), title: `${counted(size)} bytes` }, [humanBytes(size)]);
  return make("td", { class: "number" }, [data]);
};

/**
 * Return a cell with a count.
 * @param {number} count
 */
export const countCell = (count) =>
  make("td", { class: "number" }, [make("data", { value: String(count) }, [counted(count)])]);

/**
 * Return a cell with the end of a value's name, which says most, and file and line; the tooltips have the whole.
 * @param {Values} values
 * @param {number} number
 */
export const originCell = (values, number) => {
  const called = authorName(values, number), own = values.sources[values.source[number]];
  // An argument has no line of its own.
  const source = own || values.sources[values.firstRead[number]], before = own ? "" : "read first at ";
  const end = called.slice(-LONGEST_SCOPE), slash = end.indexOf("/");
  const shown = called.length <= LONGEST_SCOPE ? called : `…${slash < 0 ? end : end.slice(slash)}`;
  const name = make("code", { title: called }, [shown]);
  const relation = values.relations[values.relation[number]], words = relation ? `${relation} ` : "";
  const line = make("span", { class: "source", title: before + source }, [before + source.slice(source.lastIndexOf("/") + 1)]);
  return make("td", {}, source ? [words, name, " ", line] : [words, name]);
};

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
export const allocationLink = (values, allocation) => {
  return make("a", { href: moduleFolder() + allocationHref(values, allocation) }, [`allocation ${values.allocations.index[allocation]}`]);
};

/**
 * Return a cell that names whose some bytes of a peak are, or what they are reserved for.
 * @param {Values} values
 * @param {{value: number, of: number}} share
 */
export const shareCell = (values, { value, of }) => {
  const words = value >= 0 ? [] : [make("em", {}, [of < 0 ? "reserved, never used" : "reserved for"]), " "];
  return make("th", { scope: "row" }, of < 0 ? words : [...words, valueLink(values, of)]);
};
