// The colors of the packing map: by source line or class as everywhere, by opcode or scope in hues that neither has.
import { themeColor } from "./drawing.js";
import { classOf, lineName, lookOf } from "./names.js";
import { scopeGroups } from "./packing-layout.js";

/** @typedef {import("./packing-layout.js").Box} Box
 * @typedef {{names: string[], colors: Map<string | undefined, string>, words: (name: string) => string}} Groups */

// None of them is near a color of a class in theme.css; they are mid-tones, which both themes can show.
export const PALETTE = ["#7b4ba8", "#8c564b", "#17a2a2", "#d6336c", "#7f9a1a", "#3b4cc0", "#b08968", "#4f7d5c", "#a3386c"];

// As in `chart_data.py`.
const WITHOUT_LINE = { parameter: "arguments", output: "outputs", constant: "constants", temporary: "other temporaries" };
const UNKNOWN = { opcode: "no opcode in the dump", scope: "no scope in the dump" };

/** Return what each value's color stands for: its source line, its class, its opcode or the first levels of its scope.
 * @type {(values: Values, all: Box[], by: string) => (number: number) => string} */
const groupOf = (values, all, by) => {
  if (by === "class") return (number) => classOf(values, number);
  if (by === "line") return (number) => lookOf(values, number);
  if (by === "opcode") return (number) => values.opcodes[values.opcode[number]] || UNKNOWN.opcode;
  const areas = new Map();
  all.forEach((box) => {
    const scope = values.scope[box.number];
    areas.set(scope, (areas.get(scope) ?? 0) + area(box));
  });
  const names = scopeGroups(values.scopes, areas);
  return (number) => names[values.scope[number]] || UNKNOWN.scope;
};

const area = (/** @type {Box} */ box) => (box.high - box.low) * (box.last - box.first);

/** Put each box into a group and return the groups by the area they cover; the largest have colors of their own.
 * @type {(values: Values, all: Box[], by: string) => Groups} */
export const grouped = (values, all, by) => {
  const areas = new Map(), group = groupOf(values, all, by);
  all.forEach((box) => {
    box.group = group(box.number);
    areas.set(box.group, (areas.get(box.group) ?? 0) + area(box));
  });
  const isUnknown = (/** @type {string} */ name) => Number(Object.values(UNKNOWN).includes(name));
  const names = [...areas.keys()].sort((one, other) => isUnknown(one) - isUnknown(other) || areas.get(other) - areas.get(one));
  const rest = themeColor("class-thread-local");
  const isByLine = by === "line";
  const lines = Object.fromEntries(Object.entries(values.looks).map(([line, look]) => [look, lineName(line)]));
  const color = (/** @type {string} */ name, /** @type {number} */ rank) => {
    if (isByLine && name in lines) return themeColor(name);
    return isByLine || by === "class" ? themeColor(`class-${name}`) : isUnknown(name) ? rest : PALETTE[rank] ?? rest;
  };
  /** @type {Record<string, string>} */
  const words = isByLine ? { ...WITHOUT_LINE, ...lines } : {};
  return { names, colors: new Map(names.map((name, rank) => [name, color(name, rank)])), words: (name) => words[name] ?? name };
};
