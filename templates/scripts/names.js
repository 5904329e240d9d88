// What values are called, their color, their class and their last use: one answer for tables, charts, filters and sorting.
import { pathParts } from "./op-names.js";

/** Return what the bytes of a value are called: a scope of the program, an argument by its number, or an instruction. */
export const authorName = (/** @type {Values} */ values, /** @type {number} */ number) =>
  values.scopes[values.scope[number]] || values.labels[values.label[number]] || values.name[number];

/** Return what a value is called where there is little room: its argument, or its operation and its source line. */
export const shortName = (/** @type {Values} */ values, /** @type {number} */ number) => {
  const name = authorName(values, number), line = lineName(values.sources[values.source[number]]);
  const named = name.includes("/") ? pathParts(name).filter((part) => !part.includes("(")) : [name];
  return [named.slice(line ? -1 : -2).join("/") || name, line].filter(Boolean).join(" · ");
};

/** Return a source line without the folders of its file. */
export const lineName = (/** @type {string} */ source) => source.slice(source.lastIndexOf("/") + 1);

/** Return the color of a value, as `module.color` does: that of its source line if it has one, or of its class of
 * memory. */
export const lookOf = (/** @type {Values} */ values, /** @type {number} */ number) => {
  const memoryClass = classOf(values, number);
  return memoryClass === "temporary" && values.looks[values.sources[values.source[number]]] || memoryClass;
};

/** Return the class of memory that a value is in: that of its allocation.
 * @type {(values: Pick<Values, "allocation" | "allocations" | "classes">, number: number) => string} */
export const classOf = ({ allocation, allocations, classes }, number) => classes[allocations.class[allocation[number]]];

/** Return the last moment that reads a value; -1 where unknown. @type {(values: Pick<Values, "reads">, number: number) => number} */
export const lastUse = ({ reads }, number) => reads[number].at(-1) ?? -1;

/** Return a shape without its layout or, of a tuple, how many elements it has, unless the text is cut. */
export const plainShape = (/** @type {string} */ text) => text.startsWith("(")
  ? text.endsWith(")") ? `tuple of ${text.slice(1, -1).replace(/[[{][^\]}]*[\]}]/g, "").replace(/\([^()]*\)/g, "").split(",").length}` : "tuple"
  : text.replace(/^b\(/, "").split("{")[0].replace(/\)$/, "");
