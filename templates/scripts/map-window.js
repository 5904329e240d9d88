// The part of the packing map that is shown: moments across and bytes along, zoomed and moved within what there is.

/** @typedef {{first: number, last: number, low: number, high: number}} Window */

const LEAST_MOMENTS = 2, LEAST_BYTES = 16;
const MARGIN = 0.35;
const NEIGHBORS = 12;

/** Return [from, to] moved into [0, most] and cut to it, with whole ends and at least `least` long.
 * @type {(from: number, to: number, most: number, least: number) => [number, number]} */
const within = (from, to, most, least) => {
  const length = Math.min(most, Math.max(least, Math.round(to - from)));
  const start = Math.min(most - length, Math.max(0, Math.round(from)));
  return [start, start + length];
};

/** Return a window with whole ends inside the whole map. */
export const clamped = (/** @type {Window} */ window, /** @type {Window} */ all) => {
  const [first, last] = within(window.first, window.last, all.last, LEAST_MOMENTS);
  const [low, high] = within(window.low, window.high, all.high, LEAST_BYTES);
  return { first, last, low, high };
};

/** Return the window scaled by `factor` about a point; less than 1 zooms in.
 * @type {(window: Window, all: Window, factor: number, center?: {moment: number, byte: number}) => Window} */
export const zoomed = (window, all, factor, center) => {
  const { moment, byte } = center ?? { moment: (window.first + window.last) / 2, byte: (window.low + window.high) / 2 };
  return clamped({
    first: moment - (moment - window.first) * factor, last: moment + (window.last - moment) * factor,
    low: byte - (byte - window.low) * factor, high: byte + (window.high - byte) * factor
  }, all);
};

/** Return the window moved by parts of its own size. @type {(window: Window, all: Window, right: number, up: number) => Window} */
export const panned = (window, all, right, up) => {
  const moments = (window.last - window.first) * right, bytes = (window.high - window.low) * up;
  return clamped({
    first: window.first + moments, last: window.last + moments, low: window.low + bytes, high: window.high + bytes
  }, all);
};

/** Return a window around a box, with some of its surroundings. */
export const around = (/** @type {Window} */ box, /** @type {Window} */ all) => {
  const moments = Math.max(LEAST_MOMENTS, (box.last - box.first) * MARGIN);
  const bytes = Math.max(LEAST_BYTES, (box.high - box.low) * MARGIN);
  return clamped({
    first: box.first - moments, last: box.last + moments, low: box.low - bytes, high: box.high + bytes
  }, all);
};

/** Return a window in which a box is large enough to be drawn, among its neighbors. */
export const among = (/** @type {Window} */ box, /** @type {Window} */ all) => {
  const { first, last } = around(box, all), bytes = (box.high - box.low) * NEIGHBORS;
  return clamped({ first, last, low: box.low - bytes, high: box.high + bytes }, all);
};
