// The bands of a stacked chart: what is resident over time, divided by scope, shape or value. The largest have bands of
// their own, and all bands together are exactly what is resident at each moment.
import { ownedBytes } from "./owned-bytes.js";
import { scopeGroups } from "./packing-layout.js";
import { residentBytes } from "./steps.js";

/** @typedef {"scope" | "shape" | "value"} StackBy
 * @typedef {{band: string, fill: string, moment: number, low: number, high: number}} StackedRow
 * @typedef {{name: string, amounts: Float64Array, has: (number: number) => boolean}} Band
 * The bytes of a band at each moment, and the values in it.
 * @typedef {import("./owned-bytes.js").Owned} Owned */

/** The bands with names of their own. */
export const MOST_BANDS = 9;
export const UNKNOWN = "no scope in the dump";
export const RESERVED = "reserved, with no live value";
const POINTS = 200;

/** @typedef {{owned: Owned, of: number[], name: (group: number) => string, count: number}} Grouping
 * The group of each value, and the name of each group; a group without a name is what the dump does not name. */

/** Return the values of a memory space in groups. @type {(values: Values, color: number, by: StackBy, total: number) => Grouping} */
export const grouping = (values, color, by, total) => {
  const owned = ownedBytes(values, color);
  if (by === "value") {
    return { owned, of: [...values.name.keys()], name: (number) => values.name[number] + values.index[number], count: values.name.length };
  }
  const [column, words] = by === "scope" ? [values.scope, scopesInGroups(values, owned, total)] : [values.shape, plainShapes(values)];
  const names = [...new Set(words)], groups = new Map(names.map((name, group) => [name, group]));
  return { owned, of: column.map((word) => /** @type {number} */ (groups.get(words[word]))), name: (number) => names[number], count: names.length };
};

const plainShapes = (/** @type {Values} */ { shapes }) => shapes.map((shape) => shape.startsWith("(") ? "tuple" : shape.split("{")[0]);

const scopesInGroups = (/** @type {Values} */ values, /** @type {Owned} */ owned, /** @type {number} */ total) => {
  const areas = areasOf(owned, [0, total], values.scope, values.scopes.length);
  return scopeGroups(values.scopes, new Map([...areas.entries()].filter(([, area]) => area)));
};

/** Return the bytes × moments that each group has between two moments.
 * @type {(owned: Owned, range: [number, number], groupOf: number[], count: number) => Float64Array} */
const areasOf = ({ moment, number, change }, [first, last], groupOf, count) => {
  const areas = new Float64Array(count);
  moment.forEach((from, at) => {
    if (from < last) areas[groupOf[number[at]]] += change[at] * (last - Math.max(first, from));
  });
  return areas;
};

/** Return the bands of a memory space, the largest between two moments first, then the rest.
 * @type {(grouping: Grouping, steps: SpaceSteps, by: StackBy, range: [number, number], total: number) => Band[]} */
export const bandsOf = ({ owned, of, name, count }, steps, by, range, total) => {
  const areas = areasOf(owned, range, of, count);
  const groups = [...areas.keys()].filter((group) => areas[group] > 0);
  const named = groups.filter((group) => name(group)).sort((one, other) => areas[other] - areas[one]);
  const shown = named.slice(0, MOST_BANDS), others = named.length - shown.length, rest = shown.length, unknown = rest + 1;
  const placeOf = new Int32Array(count).fill(rest);
  shown.forEach((group, place) => { placeOf[group] = place; });
  [...areas.keys()].filter((group) => !name(group)).forEach((group) => { placeOf[group] = unknown; });
  const amounts = amountsOf(owned, (number) => placeOf[of[number]], unknown + 1, total);
  const reserved = new Float64Array(total + 1);
  for (let moment = 0; moment <= total; moment += 1) {
    const known = amounts.reduce((sum, band) => sum + band[moment], 0);
    reserved[moment] = residentBytes(steps, moment) - known;
  }
  const rests = others === 1 ? `1 other ${by}` : `${others.toLocaleString("en")} other ${by}s`;
  const all = [...shown.map((group, place) => ({ name: name(group), place })), { name: rests, place: rest }, { name: UNKNOWN, place: unknown }];
  const bands = all.map(({ name, place }) => ({
    name, amounts: amounts[place], has: (/** @type {number} */ number) => placeOf[of[number]] === place
  }));
  return [...bands, { name: RESERVED, amounts: reserved, has: () => false }].filter(({ amounts }) => amounts.some(Boolean));
};

/** Return the bytes of each place at each moment.
 * @type {(owned: Owned, placeOf: (number: number) => number, places: number, total: number) => Float64Array[]} */
const amountsOf = (owned, placeOf, places, total) => {
  const amounts = Array.from({ length: places }, () => new Float64Array(total + 1));
  owned.moment.forEach((moment, at) => {
    if (moment <= total) amounts[placeOf(owned.number[at])][moment] += owned.change[at];
  });
  amounts.forEach((band) => {
    for (let moment = 1; moment <= total; moment += 1) band[moment] += band[moment - 1];
  });
  return amounts;
};

/** Return the moments at which to draw bands between two moments: where they change or, where a pixel has many moments,
 * those with the least and the most bytes. */
export const momentsToDraw = (/** @type {Band[]} */ bands, /** @type {[number, number]} */ [first, last]) => {
  const width = Math.max(1, Math.floor((last - first) / POINTS));
  const sum = (/** @type {number} */ moment) => bands.reduce((all, { amounts }) => all + amounts[moment], 0);
  const moments = [first];
  for (let start = first; start < last; start += width) {
    let least = start, most = start;
    for (let moment = start, low = Infinity, high = -Infinity; moment < Math.min(last, start + width); moment += 1) {
      const amount = sum(moment);
      if (amount < low) { low = amount; least = moment; }
      if (amount > high) { high = amount; most = moment; }
    }
    moments.push(least, most);
  }
  const ordered = [...new Set([...moments, last])].sort((one, other) => one - other);
  const isSame = (/** @type {number} */ one, /** @type {number} */ other) => bands.every(({ amounts }) => amounts[one] === amounts[other]);
  return ordered.filter((moment, at) => at === 0 || moment === last || !isSame(moment, ordered[at - 1]));
};

/** Return the rows of a stacked area chart; the first band is at the bottom.
 * @type {(bands: Band[], moments: number[], fill: (band: Band, place: number) => string) => StackedRow[]} */
export const stackedRows = (bands, moments, fill) => {
  const low = new Map(moments.map((moment) => [moment, 0]));
  return bands.flatMap((band, place) => moments.map((moment) => {
    const from = low.get(moment) ?? 0, high = from + band.amounts[moment];
    low.set(moment, high);
    return { band: band.name, fill: fill(band, place), moment, low: from, high };
  }));
};

/** Return the band that has a byte of the stack at a moment, or null above all of them.
 * @type {(bands: Band[], moment: number, byte: number) => Band | null} */
export const bandAt = (bands, moment, byte) => {
  let high = 0;
  for (const band of bands) {
    high += band.amounts[moment];
    if (byte < high) return band;
  }
  return null;
};
