// Who owns each byte over time: a byte under several live values belongs to the one defined last, as in `composition.js`,
// but for all moments at once.

/** @typedef {{moment: number[], number: number[], change: number[]}} Owned
 * The changes of what each value owns: from `moment` on, value `number` owns `change` more bytes.
 * @typedef {{low: number[], high: number[], owner: number[]}} Segments
 * Disjoint intervals of an allocation in order, each with its owner. */

const HELD_BY_THREADS = "thread-local";

/** Return the changes of ownership in a memory space. Thread-local allocations have no live ranges and are left out. */
export const ownedBytes = (/** @type {Values} */ values, /** @type {number} */ color) => {
  const { allocations, classes } = values, threadLocal = classes.indexOf(HELD_BY_THREADS);
  const inside = /** @type {Map<number, number[]>} */ (new Map());
  values.allocation.forEach((allocation, number) => {
    const isKnown = values.first[number] >= 0 && values.size[number] > 0;
    if (!isKnown || allocations.color[allocation] !== color || allocations.class[allocation] === threadLocal) return;
    const known = inside.get(allocation);
    if (known) known.push(number); else inside.set(allocation, [number]);
  });
  const owned = /** @type {Owned} */ ({ moment: [], number: [], change: [] });
  inside.forEach((numbers) => sweep(values, numbers, owned));
  return owned;
};

/** Follow the values of one allocation through time and add their changes.
 * @type {(values: Values, numbers: number[], owned: Owned) => void} */
const sweep = (values, numbers, owned) => {
  const { first, last, offset, size } = values;
  const put = (/** @type {number} */ moment, /** @type {number} */ number, /** @type {number} */ change) => {
    owned.moment.push(moment);
    owned.number.push(number);
    owned.change.push(change);
  };
  const births = [...numbers].sort((one, other) => first[one] - first[other] || one - other);
  const deaths = [...numbers].sort((one, other) => last[one] - last[other]);
  const segments = /** @type {Segments} */ ({ low: [], high: [], owner: [] });
  const live = new Set(), covering = new Set();

  const take = (/** @type {number} */ number, /** @type {number} */ moment, /** @type {number} */ low, /** @type {number} */ high) => {
    cut(segments, low, high).forEach((piece) => {
      put(moment, piece.owner, piece.low - piece.high);
      covering.add(number);
    });
    insert(segments, low, high, number);
    put(moment, number, high - low);
  };
  // The bytes of a value that ends go back to those that it covered, to the one defined last first.
  const end = (/** @type {number} */ number) => {
    const moment = last[number] + 1, low = offset[number], high = low + size[number];
    live.delete(number);
    const pieces = cut(segments, low, high, number);
    pieces.forEach((piece) => put(moment, number, piece.low - piece.high));
    if (!covering.has(number)) return;
    const beneath = [...live].filter((other) => offset[other] < high && offset[other] + size[other] > low)
      .sort((one, other) => first[one] - first[other] || one - other);
    beneath.forEach((other) => pieces.forEach((piece) => {
      const from = Math.max(piece.low, offset[other]), to = Math.min(piece.high, offset[other] + size[other]);
      if (from < to) take(other, moment, from, to);
    }));
  };

  let ended = 0;
  births.forEach((number) => {
    while (last[deaths[ended]] < first[number]) end(deaths[ended++]);
    take(number, first[number], offset[number], offset[number] + size[number]);
    live.add(number);
  });
  while (ended < deaths.length) end(deaths[ended++]);
};

/** Cut [low, high) out and return the pieces that were there, only those of one owner if it is given.
 * @type {(segments: Segments, low: number, high: number, owner?: number) => {low: number, high: number, owner: number}[]} */
const cut = (segments, low, high, owner) => {
  const pieces = [];
  for (let at = firstAfter(segments.high, low); at < segments.low.length && segments.low[at] < high;) {
    const piece = { low: segments.low[at], high: segments.high[at], owner: segments.owner[at] };
    if (owner !== undefined && piece.owner !== owner) {
      at += 1;
      continue;
    }
    remove(segments, at);
    if (piece.low < low) at = insert(segments, piece.low, low, piece.owner) + 1;
    if (piece.high > high) insert(segments, high, piece.high, piece.owner);
    pieces.push({ low: Math.max(piece.low, low), high: Math.min(piece.high, high), owner: piece.owner });
  }
  return pieces;
};

/** Return the first place whose number is greater than `limit`. */
const firstAfter = (/** @type {number[]} */ sorted, /** @type {number} */ limit) => {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > limit) high = middle; else low = middle + 1;
  }
  return low;
};

/** @type {(segments: Segments, at: number) => void} */
const remove = ({ low, high, owner }, at) => [low, high, owner].forEach((column) => column.splice(at, 1));

/** Insert a segment that overlaps no other and return its place.
 * @type {(segments: Segments, low: number, high: number, owner: number) => number} */
const insert = (segments, low, high, owner) => {
  const at = firstAfter(segments.low, low);
  segments.low.splice(at, 0, low);
  segments.high.splice(at, 0, high);
  segments.owner.splice(at, 0, owner);
  return at;
};
