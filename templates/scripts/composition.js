// What is live at a moment, every byte once: a byte under several values counts for the one defined last.
// `composition.py` does the same for the peak: tests/shared_cases holds both to it.
import { classOf } from "./names.js";

/** Say whether a value is live at a moment and counts as resident: it does not belong to a thread.
 * @type {(values: Values, number: number, moment: number) => boolean} */
export const isResidentAt = (values, number, moment) =>
  values.first[number] >= 0 && values.first[number] <= moment && moment <= values.last[number] && classOf(values, number) !== "thread-local";

/** Return the values of a memory space that are resident at a moment.
 * @type {(values: Values, color: number, moment: number) => number[]} */
export const residentAt = (values, color, moment) => [...values.name.keys()].filter((number) =>
  values.allocations.color[values.allocation[number]] === color && isResidentAt(values, number, moment));

/** Return, for each live value, the bytes that no live value defined later also holds. */
export const bytesByValue = (/** @type {Values} */ values, /** @type {number[]} */ live) => {
  /** @type {Map<number, [number, number][]>} */
  const covered = new Map(live.map((number) => [values.allocation[number], []]));
  const latestFirst = [...live].sort((one, other) => values.first[other] - values.first[one] || other - one);
  return new Map(latestFirst.map((number) => {
    const low = values.offset[number];
    const intervals = covered.get(values.allocation[number]) ?? [];
    return [number, cover(intervals, low, low + values.size[number])];
  }));
};

/** Return the bytes of each resident value of all memory spaces at a moment. */
export const ownedAt = (/** @type {Values} */ values, /** @type {number} */ moment) =>
  bytesByValue(values, [...values.name.keys()].filter((number) => isResidentAt(values, number, moment)));

/** Add [low, high) to disjoint intervals in order and return how many bytes were new.
 * @type {(covered: [number, number][], low: number, high: number) => number} */
const cover = (covered, low, high) => {
  let at = 0;
  while (at < covered.length && covered[at][1] < low) at += 1;
  let fresh = high - low, start = low, end = high, count = 0;
  while (at + count < covered.length && covered[at + count][0] <= high) {
    const [otherLow, otherHigh] = covered[at + count];
    fresh -= Math.max(0, Math.min(high, otherHigh) - Math.max(low, otherLow));
    start = Math.min(start, otherLow);
    end = Math.max(end, otherHigh);
    count += 1;
  }
  covered.splice(at, count, [start, end]);
  return fresh;
};
