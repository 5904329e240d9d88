// Values as rows: equal buffers are one, the largest first. `value_rows.py` does the same for all values of a module.
import { lookOf } from "./names.js";

/** @typedef {{numbers: number[], buffers: number[], size: number}} Group
 * Values of one operation or argument, line, shape and class of memory, the largest value of each of their buffers, and
 * what these take together.
 * @typedef {(test: (number: number) => boolean, bytes?: (number: number) => number) => Group[]} Grouping */

/** Return what tells the groups of values apart. */
const keyOf = (/** @type {Values} */ values, /** @type {number} */ number) => {
  const { allocations, scope, label, relation, source, shape } = values, at = values.allocation[number];
  const name = scope[number] ? `s${scope[number]}` : label[number] ? `l${label[number]}` : values.name[number];
  return `${relation[number]} ${source[number]} ${shape[number]} ${allocations.color[at]} ${allocations.class[at]} ${name}`;
};

const known = /** @type {WeakMap<Values, Grouping>} */ (new WeakMap());

/** Return what puts the values that pass a test in groups, the largest first; `bytes` are what each takes, its size
 * where nothing else is known. What does not depend on these is found once, so that 60,000 values are grouped within a
 * frame.
 * @type {(values: Values) => Grouping} */
export const grouping = (values) => {
  const made = known.get(values) ?? makeGrouping(values);
  known.set(values, made);
  return made;
};

/** @type {(values: Values) => Grouping} */
const makeGrouping = (values) => {
  const { size, unusualBuffer } = values, ids = values.id.map((id) => parseInt(id, 10));
  const largestFirst = Uint32Array.from(size.keys()).sort((one, other) => size[other] - size[one] || ids[one] - ids[other]);
  const places = /** @type {Map<string, number>} */ (new Map());
  const groupOf = Uint32Array.from(size, (_, number) => {
    const key = keyOf(values, number), known = places.get(key);
    if (known === undefined) places.set(key, places.size);
    return known ?? places.size - 1;
  });
  const shared = new Map(Object.entries(unusualBuffer).flatMap(([number, first]) => [[Number(number), first], [first, first]]));
  const counts = new Uint32Array(places.size), sizes = /** @type {number[]} */ ([]);
  groupOf.forEach((place) => { counts[place] += 1; });
  return (test, bytes) => {
    const found = /** @type {(Group & {seen?: Set<number>})[]} */ (new Array(places.size));
    largestFirst.forEach((number) => {
      if (!test(number)) return;
      const group = found[groupOf[number]] ??= { numbers: [], buffers: [], size: 0 }, buffer = shared.get(number);
      group.numbers.push(number);
      if (buffer !== undefined) {
        if (group.seen?.has(buffer)) return;
        (group.seen ??= new Set()).add(buffer);
      }
      group.buffers.push(number);
      if (bytes) group.size += bytes(number);
    });
    // Most groups pass as a whole or not at all, so what a whole one takes is found once.
    if (!bytes) found.forEach((group, place) => {
      const isWhole = group.numbers.length === counts[place], known = isWhole ? sizes[place] : undefined;
      group.size = known ?? (group.buffers.length > 1 ? mostAtOnce(values, group, shared) : size[group.buffers[0]]);
      if (isWhole) sizes[place] = group.size;
    });
    return found.filter(Boolean).sort((one, other) => other.size - one.size || ids[one.buffers[0]] - ids[other.buffers[0]]);
  };
};

/** Return the most bytes that the buffers of a group take at one time; those that are never live count always.
 * @type {(values: Values, group: Group, shared: Map<number, number>) => number} */
const mostAtOnce = (values, { numbers }, shared) => {
  const buffers = /** @type {Map<number, number[]>} */ (new Map()), changes = /** @type {[number, number][]} */ ([]);
  numbers.forEach((number) => {
    const buffer = shared.get(number) ?? number, known = buffers.get(buffer);
    if (known) known.push(number); else buffers.set(buffer, [number]);
  });
  let always = 0, now = 0, most = 0;
  buffers.forEach((members) => {
    const size = values.size[members[0]], held = stretchesOf(values, { numbers: members });
    if (!held.length) always += size;
    held.forEach(([from, to]) => changes.push([from, size], [to + 1, -size]));
  });
  changes.sort((one, other) => one[0] - other[0] || one[1] - other[1]).forEach(([, change]) => { most = Math.max(most, now += change); });
  return always + most;
};

/** Return when the values of a group are live, as stretches in the order of time that do not overlap.
 * @type {(values: Values, group: Pick<Group, "numbers">) => [number, number][]} */
export const stretchesOf = ({ first, last }, { numbers }) => {
  const live = numbers.filter((number) => first[number] >= 0).sort((one, other) => first[one] - first[other]);
  const found = /** @type {[number, number][]} */ ([]);
  live.forEach((number) => {
    const before = found[found.length - 1];
    if (before && first[number] <= before[1] + 1) before[1] = Math.max(before[1], last[number]);
    else found.push([first[number], last[number]]);
  });
  return found;
};

/** Return the color of a group: that of its line, or of its class of memory. */
export const lookOfGroup = (/** @type {Values} */ values, /** @type {Group} */ { buffers }) => lookOf(values, buffers[0]);
