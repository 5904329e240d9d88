// What the packing map says: its caption, its tooltips, names in the rectangles that have room for them, and which values
// a highlight finds.
import { counted, humanBytes } from "./bytes.js";
import { authorName, shortName } from "./names.js";
import { wordsOf } from "./words.js";

/** @typedef {import("./packing-layout.js").Box} Box
 * @typedef {import("./packing-layout.js").View} View */

/** In-place reuses beyond this many would cover the map. */
export const MOST_TAKEOVERS = 2000;
const LEAST_WIDTH = 48, LEAST_HEIGHT = 14, MARGIN = 4, MOST_LABELS = 150;
const CHARACTER = 6.5;
// Of a color of at least this luminance, black text stands out more than white.
const LIGHT = 0.179;

const known = /** @type {WeakMap<Values, string[]>} */ (new WeakMap());

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

/** Return the color of text on a color such as `rgb(0, 114, 178)` or `#0072b2`. */
export const inkOn = (/** @type {string} */ color) => {
  const hex = /^#(..)(..)(..)$/.exec(color)?.slice(1).map((part) => parseInt(part, 16));
  const [red, green, blue] = (hex ?? color.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0])
    .map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < LIGHT ? "#ffffff" : "#000000";
};

/** Return the names of values for the rectangles that have room for one, as far as they are in view. Values that take
 * over the bytes of one another have one name, in the widest rectangle, and a name without room for its line leaves
 * that out.
 * @type {(values: Values, shown: Box[], view: View, color: (box: Box) => string) => object[]} */
export const labelsOf = (values, shown, view, color) => {
  const perMoment = view.width / (view.last - view.first), perByte = view.height / (view.high - view.low);
  const named = new Set();
  return shown.flatMap((box) => {
    const first = Math.max(box.first, view.first), last = Math.min(box.last, view.last);
    const low = Math.max(box.low, view.low), high = Math.min(box.high, view.high);
    const width = (last - first) * perMoment, height = (high - low) * perByte;
    if (box.opacity !== 1 || width < LEAST_WIDTH || height < LEAST_HEIGHT) return [];
    const name = shortName(values, box.number), room = width - 2 * MARGIN;
    const label = name.length * CHARACTER > room ? name.split(" · ")[0] : name;
    return [{ first, middle: (low + high) / 2, label, room, ink: inkOn(color(box)), area: width * height, key: `${name} ${low}` }];
  }).sort((one, other) => other.area - one.area)
    .filter(({ key }) => !named.has(key) && named.add(key)).slice(0, MOST_LABELS);
};
