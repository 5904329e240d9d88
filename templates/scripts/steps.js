// Step functions over program order, thinned to what a chart can show. `thinned` in `chart_data.py` does the same for
// the data inside a page: tests/shared_cases holds both to it.

export const MOST_POINTS = 500;
const HEADROOM = 0.12;
// A part that differs by less than this share of its height begins above zero, or it would be a flat line.
const FLAT = 0.5;

/** Return the amount at a moment: the last step at or before it. */
export const amountAt = (/** @type {Steps} */ steps, /** @type {number} */ moment) => {
  let low = 0, high = steps.moments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (steps.moments[middle] <= moment) low = middle; else high = middle - 1;
  }
  return steps.amounts[low];
};

/** Return what is resident in a memory space at a moment. */
export const residentBytes = (/** @type {DrawnSteps} */ space, /** @type {number} */ moment) => space.static + amountAt(space.temp, moment);

/** Return the moment at which most is resident in a memory space. */
export const peakMoment = (/** @type {DrawnSteps} */ { temp: { moments, amounts } }) =>
  moments[amounts.reduce((most, amount, place) => amount > amounts[most] ? place : most, 0)];

/** Return the sum of two step functions. */
export const sum = (/** @type {Steps} */ one, /** @type {Steps} */ other) => {
  const moments = [...new Set([...one.moments, ...other.moments])].sort((first, second) => first - second);
  return { moments, amounts: moments.map((moment) => amountAt(one, moment) + amountAt(other, moment)) };
};

/** Return the lowest, the highest and the last of some rows, in order of time and each once. */
const extremes = (/** @type {Row[]} */ rows) => {
  const lowest = rows.reduce((best, row) => row[1] < best[1] ? row : best);
  const highest = rows.reduce((best, row) => row[1] > best[1] ? row : best);
  return [...new Set([lowest, highest, rows[rows.length - 1]])].sort((one, other) => one[0] - other[0]);
};

/** Return (moment, amount) rows from `first` to `last`, at most about three times `points` of them. Where a stretch of
 * time is thinner than a pixel, its lowest and highest amounts stay at their own moments, so that no peak is lost.
 * @type {(steps: Steps, first: number, last: number, points?: number) => Row[]} */
export const thinned = (steps, first, last, points = MOST_POINTS) => {
  const inside = /** @type {Row[]} */ ([]);
  steps.moments.forEach((moment, number) => {
    if (first < moment && moment < last) inside.push([moment, steps.amounts[number]]);
  });
  /** @type {Row[]} */
  const rows = [[first, amountAt(steps, first)], ...(inside.length > 2 * points ? byPixel(inside, last - first, points) : inside)];
  return [...rows, [last, rows[rows.length - 1][1]]];
};

/** @type {(rows: Row[], length: number, points: number) => Row[]} */
const byPixel = (rows, length, points) => {
  const width = Math.max(1, Math.floor(length / points));
  const buckets = /** @type {Map<number, Row[]>} */ (new Map());
  rows.forEach((row) => {
    const bucket = Math.floor(row[0] / width);
    const known = buckets.get(bucket);
    if (known) known.push(row); else buckets.set(bucket, [row]);
  });
  return [...buckets.values()].flatMap(extremes);
};

/** Return what a chart shows of a memory space from `first` to `last`: the areas of its temporaries, and what is live
 * over those of classes. The highest area is first and each goes down to what is held throughout, because two edges at
 * one place would show what is below both. `stacked` in `chart_data.py` has the same areas.
 * @param {DrawnSteps} space
 * @param {[number, number]} range */
export const stackedSteps = (space, [first, last]) => {
  const functions = [...space.parts, space.temp];
  const moments = [...new Set(functions.flatMap((steps) => thinned(steps, first, last).map(([moment]) => moment)))].sort((one, other) => one - other);
  let below = moments.map(() => space.static);
  const areas = functions.map((steps, number) => {
    const isTotal = number === space.parts.length;
    const highs = moments.map((moment, at) => (isTotal ? space.static : below[at]) + amountAt(steps, moment));
    below = highs;
    const name = isTotal ? (number ? "other" : "temporary") : `source-${number + 1}`;
    return moments.map((moment, at) => ({ class: name, moment, low: space.static, high: highs[at] }))
      .filter(({ high }, at) => at === 0 || at === moments.length - 1 || high !== highs[at - 1]);
  });
  const live = space.parts.length || !space.live ? [] : thinned(space.live, first, last);
  return { temporary: areas.reverse().flat(), live: live.map(([moment, amount]) => ({ moment, amount })) };
};

/** Return the bytes to show for a part of the time axis: from zero, unless what changes would be too small to see.
 * @type {(amounts: number[]) => [number, number]} */
export const byteRange = (amounts) => {
  const least = amounts.reduce((one, other) => Math.min(one, other)), most = amounts.reduce((one, other) => Math.max(one, other));
  const isFlat = most - least < FLAT * most, margin = Math.max(1, (isFlat ? most - least : most) * HEADROOM);
  return [isFlat ? Math.max(0, Math.floor(least - margin)) : 0, Math.ceil(most + margin)];
};
