// Values as rows: equal buffers are one, the largest first. `value_rows.py` does the same for all values of a module.
import { lookOf } from "./names.js";

/**
 * @typedef {{numbers: number[], buffers: number[], size: number}} Group
 * Values of one operation or argument, line, shape and class of memory, the largest value of each of their buffers, and
 * what these take together.
 */

/**
 * Return what tells the groups of values apart.
 * @param {Values} values
 * @param {number} number
 */
const keyOf = (values, number) => {
  const { allocations, scope, label, relation, source, shape } = values, at = values.allocation[number];
  const name = scope[number] ? `s${scope[number]}` : label[number] ? `l${label[number]}` : values.name[number];
  return `${relation[number]} ${source[number]} ${shape[number]} ${allocations.color[at]} ${allocations.class[at]} ${name}`;
};

/** Return the order of the ids in the dump. */
const idOf = (/** @type {Values} */ values, /** @type {number} */ number) => parseInt(values.id[number], 10);

/**
 * Return values in groups, the largest first.
 * @param {Values} values
 * @param {number[]} numbers
 * @returns {Group[]}
 */
export const groupsOf = (values, numbers) => {
  /** @type {Map<string, number[]>} */
  const found = new Map();
  numbers.forEach((number) => {
    const key = keyOf(values, number), known = found.get(key);
    if (known) known.push(number); else found.set(key, [number]);
  });
  const { size, unusualBuffer } = values;
  const largestFirst = (/** @type {number} */ one, /** @type {number} */ other) => size[other] - size[one] || idOf(values, one) - idOf(values, other);
  return [...found.values()].map((members) => {
    members.sort(largestFirst);
    /** @type {Map<number, number>} */
    const largest = new Map();
    members.forEach((number) => {
      const buffer = unusualBuffer[number] ?? number;
      if (!largest.has(buffer)) largest.set(buffer, number);
    });
    const buffers = [...largest.values()];
    return { numbers: members, buffers, size: buffers.reduce((sum, number) => sum + size[number], 0) };
  }).sort((one, other) => other.size - one.size || idOf(values, one.buffers[0]) - idOf(values, other.buffers[0]));
};

/**
 * Return when the values of a group are live, as stretches in the order of time that do not overlap.
 * @param {Values} values
 * @param {Group} group
 * @returns {[number, number][]}
 */
export const stretchesOf = ({ first, last }, { numbers }) => {
  const live = numbers.filter((number) => first[number] >= 0).sort((one, other) => first[one] - first[other]);
  /** @type {[number, number][]} */
  const found = [];
  live.forEach((number) => {
    const before = found[found.length - 1];
    if (before && first[number] <= before[1] + 1) before[1] = Math.max(before[1], last[number]);
    else found.push([first[number], last[number]]);
  });
  return found;
};

/** Return the color of a group: that of its line, or of its class of memory. */
export const lookOfGroup = (/** @type {Values} */ values, /** @type {Group} */ { buffers }) => lookOf(values, buffers[0]);
