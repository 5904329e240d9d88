// What the packing map says: its caption, its tooltips, and which values a highlight finds.
import { counted, humanBytes } from "./bytes.js";
import { authorName } from "./names.js";
import { wordsOf } from "./words.js";

/** In-place reuses beyond this many would cover the map. */
export const MOST_TAKEOVERS = 2000;

/** @type {WeakMap<Values, string[]>} */
const known = new WeakMap();

/** Return the names of values in lower case, which are made once, because every letter that is typed asks for all. */
const lowerNames = (/** @type {Values} */ values) => {
  const found = known.get(values) ?? values.name.map((name, number) => (name + values.index[number]).toLowerCase());
  known.set(values, found);
  return found;
};

/** Return a test for the values that have every word in their name, opcode, shape, source, scope or what stands for it. */
export const highlightTest = (/** @type {Values} */ values, /** @type {string} */ text) => {
  const names = lowerNames(values);
  const found = (/** @type {string[]} */ table, /** @type {string} */ word) => table.map((one) => one.toLowerCase().includes(word));
  const tests = wordsOf(text).map((word) => {
    const opcodes = found(values.opcodes, word), shapes = found(values.shapes, word);
    const scopes = found(values.scopes, word), sources = found(values.sources, word);
    return (/** @type {number} */ number) => names[number].includes(word) ||
      opcodes[values.opcode[number]] || shapes[values.shape[number]] || scopes[values.scope[number]] || sources[values.source[number]] ||
      (!values.scope[number] && authorName(values, number).toLowerCase().includes(word));
  });
  return (/** @type {number} */ number) => tests.every((test) => test(number));
};

/** Return the lines of a value's tooltip. */
export const tooltipLines = (/** @type {Values} */ values, /** @type {number} */ number) => [
  values.name[number] + values.index[number],
  `${humanBytes(values.size[number])}, padding ${humanBytes(values.padding[number])}`,
  `instructions ${counted(values.first[number])} to ${counted(values.last[number])}`,
  `allocation ${values.allocations.index[values.allocation[number]]} at ${counted(values.offset[number])}`,
  values.opcodes[values.opcode[number]], values.shapes[values.shape[number]],
  values.scopes[values.scope[number]], values.sources[values.source[number]]
].filter(Boolean);

/** Return what the caption says: what is drawn, what is merged and what is out of view.
 * @type {(found: ReturnType<typeof import("./packing-layout.js").visible>,
 *   outside: number, handovers: number, conflicts: number) => string} */
export const captionOf = (found, outside, handovers, conflicts) => {
  const parts = [`${counted(found.shown.length)} values`];
  if (found.merged) parts.push(`${counted(found.merged)} too thin or short to draw are merged`);
  if (outside) parts.push(`${counted(outside)} outside this part of the map`);
  parts.push(handovers > MOST_TAKEOVERS ? `${counted(handovers)} in-place reuses, too many to mark`
    : `dark ticks: ${counted(handovers)} reused in place`);
  parts.push("pale: reserved, with nothing live");
  if (conflicts) parts.push(`${counted(conflicts)} values in conflict, with red edges`);
  return `${parts.join("; ")}.`;
};
