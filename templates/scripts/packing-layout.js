// The geometry of the packing map, without drawing: where allocations are stacked, and what a pixel can show.

/** @typedef {{numbers: number[], base: Map<number, number>, height: number}} Stack
 * @typedef {{number: number, first: number, last: number, low: number, high: number, always?: boolean,
 *   group?: string, opacity?: number}} Box
 * @typedef {{first: number, last: number, low: number, high: number, width: number, height: number}} View
 * @typedef {{first: number, last: number, low: number, high: number, style: string}} Run */

// Parameters, constants, outputs, temporaries. Thread-local allocations have no live range, so they are left out.
const CLASS_ORDER = [0, 2, 1, 3];
const MOST_SCOPE_LEVELS = 8, LEAST_SCOPE_GROUPS = 4;

/** Stack the allocations of a space by class, or `only` one of them: the base of each, and the height of all.
 * @type {(allocations: Allocations, color: number, only: number | null) => Stack} */
export const stack = (allocations, color, only) => {
  const place = (/** @type {number} */ number) => CLASS_ORDER.indexOf(allocations.class[number]);
  const numbers = [...allocations.index.keys()].filter((number) =>
    allocations.color[number] === color && place(number) >= 0 && allocations.size[number] > 0 &&
    (only === null || only === number));
  numbers.sort((one, other) => place(one) - place(other) || one - other);
  const base = new Map();
  let height = 0;
  numbers.forEach((number) => {
    base.set(number, height);
    height += allocations.size[number];
  });
  return { numbers, base, height };
};

/** Return the values of the stack as boxes of moments and bytes; the ends are exclusive.
 * @type {(values: Values, stacked: Stack) => Box[]} */
export const boxes = (values, stacked) => [...values.name.keys()].flatMap((number) => {
  const base = stacked.base.get(values.allocation[number]), size = values.size[number];
  if (base === undefined || values.first[number] < 0 || size === 0) return [];
  const low = base + values.offset[number];
  return [{ number, first: values.first[number], last: values.last[number] + 1, low, high: low + size }];
});

/** Say whether a box is drawn on its own: it fills a pixel, or the reader asks for it. */
export const isDrawn = (/** @type {Box} */ box, /** @type {View} */ view) => Boolean(box.always) ||
  ((box.high - box.low) * view.height >= view.high - view.low && 2 * (box.last - box.first) * view.width >= view.last - view.first);

/** Return the boxes that a pixel can show, and the rest merged into runs of one pixel row. Only boxes of the same
 * `style` are merged.
 * @type {(all: Box[], view: View, style: (box: Box) => string) => {shown: Box[], runs: Run[], merged: number}} */
export const visible = (all, view, style) => {
  const perMoment = view.width / (view.last - view.first), perByte = view.height / (view.high - view.low);
  const inView = all.filter((box) =>
    box.last > view.first && box.first < view.last && box.high > view.low && box.low < view.high);
  const isShown = (/** @type {Box} */ box) => isDrawn(box, view);
  const rows = /** @type {Map<string, {style: string, boxes: Box[]}>} */ (new Map());
  let merged = 0;
  inView.filter((box) => !isShown(box)).forEach((box) => {
    merged += 1;
    const look = style(box), key = `${Math.floor((box.low - view.low) * perByte)}/${look}`;
    const row = rows.get(key);
    if (row) row.boxes.push(box); else rows.set(key, { style: look, boxes: [box] });
  });
  const runs = [...rows.values()].flatMap((row) => joined(row.boxes, 1.5 / perMoment, 1 / perByte, row.style));
  return { shown: inView.filter(isShown), runs, merged };
};

/** @type {(row: Box[], gap: number, thickness: number, style: string) => Run[]} */
const joined = (row, gap, thickness, style) => {
  const runs = /** @type {Run[]} */ ([]);
  row.sort((one, other) => one.first - other.first).forEach(({ first, last, low, high: top }) => {
    const high = Math.max(top, low + thickness), run = runs[runs.length - 1];
    if (run && first <= run.last + gap) {
      run.last = Math.max(run.last, last);
      run.low = Math.min(run.low, low);
      run.high = Math.max(run.high, high);
    } else {
      runs.push({ first, last, low, high, style });
    }
  });
  return runs;
};

/** Return the boxes that take over exactly the bytes of another at the moment where it ends. */
export const takeovers = (/** @type {Box[]} */ all) => {
  const bySlice = /** @type {Map<string, Box[]>} */ (new Map());
  all.forEach((box) => {
    const slice = `${box.low}-${box.high}`, occupants = bySlice.get(slice);
    if (occupants) occupants.push(box); else bySlice.set(slice, [box]);
  });
  return [...bySlice.values()].flatMap((occupants) => {
    occupants.sort((one, other) => one.first - other.first || one.last - other.last);
    return occupants.filter((box, number) => number > 0 && box.first === occupants[number - 1].last - 1);
  });
};

/** Return the box under a point, the one defined last where there are several, or null. Thin boxes are hard to hit, so
 * a distance of up to `slackMoments` and `slackBytes` counts.
 * @type {(all: Box[], moment: number, byte: number, slackMoments: number, slackBytes: number) => Box | null} */
export const under = (all, moment, byte, slackMoments, slackBytes) => {
  let best = /** @type {Box | null} */ (null);
  let bestDistance = Infinity;
  for (const box of all) {
    const across = Math.max(box.first - moment, moment - box.last, 0) / slackMoments;
    const along = Math.max(box.low - byte, byte - box.high, 0) / slackBytes;
    const distance = Math.max(across, along);
    if (distance > 1) continue;
    if (distance < bestDistance || (best && distance === bestDistance && box.first >= best.first)) {
      best = box;
      bestDistance = distance;
    }
  }
  return best;
};

/** Return the scopes of values, numbers as `*`, cut to so many levels that the largest group covers less than half of
 * the area; `areas` are bytes × moments by scope. */
export const scopeGroups = (/** @type {string[]} */ scopes, /** @type {Map<number, number>} */ areas) => {
  const total = [...areas.values()].reduce((sum, area) => sum + area, 0);
  // Numbered siblings, such as the layers of a model, are one group.
  const siblings = scopes.map((scope) => scope.replace(/\d+/g, "*").split("/"));
  const cut = (/** @type {number} */ depth) => siblings.map((levels) => levels.slice(0, depth).join("/"));
  for (let depth = 1; depth < MOST_SCOPE_LEVELS; depth += 1) {
    const names = cut(depth), byName = new Map();
    areas.forEach((area, scope) => byName.set(names[scope], (byName.get(names[scope]) ?? 0) + area));
    byName.delete("");
    if (Math.max(0, ...byName.values()) < total / 2 && byName.size >= LEAST_SCOPE_GROUPS) return names;
  }
  return cut(MOST_SCOPE_LEVELS);
};
