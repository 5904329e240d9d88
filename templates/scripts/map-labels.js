// What the packing map says inside itself: names of values in the rectangles that have room for them.
import { shortName } from "./names.js";

/** @typedef {import("./packing-layout.js").Box} Box
 * @typedef {import("./packing-layout.js").View} View */

const LEAST_WIDTH = 48;
const LEAST_HEIGHT = 14;
const MARGIN = 4;
const MOST_LABELS = 150;
const CHARACTER = 6.5;
// Of a color of at least this luminance, black text stands out more than white.
const LIGHT = 0.179;

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
