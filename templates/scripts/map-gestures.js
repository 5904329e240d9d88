// What the pointer and the keys do on the packing map: drag a box or a wheel to zoom, drag with Shift to move, a click to
// choose, a double click to see everything.
import { make } from "./dom.js";
import { clamped, panned, zoomed } from "./map-window.js";

/** @typedef {import("./map-window.js").Window} Window
 * @typedef {{view: VegaView, plot: HTMLElement, window: () => Window, all: () => Window,
 *   show: (window: Window | null, isGesture?: boolean) => void,
 *   clicked: (event: MouseEvent, moment: number) => void}} Zoomable */

const DRAG_PIXELS = 5;
const CLICK_MILLISECONDS = 250;
const STEP = 0.25;
const WHEEL_PIXELS = 400;
const IN = 0.5;

/** Return the moment and the byte under the pointer; outside the plot they are outside the window.
 * @type {(map: Pick<Zoomable, "view" | "plot" | "window">, event: MouseEvent) => {moment: number, byte: number, isInside: boolean}} */
export const pointUnder = ({ view, plot, window }, event) => {
  const bounds = plot.getBoundingClientRect(), [left, top] = view.origin(), { first, last, low, high } = window();
  const x = (event.clientX - bounds.left - left) / view.width(), y = (event.clientY - bounds.top - top) / view.height();
  return { moment: first + x * (last - first), byte: high - y * (high - low), isInside: x >= 0 && x <= 1 && y >= 0 && y <= 1 };
};

const listenToDrags = (/** @type {Zoomable} */ map) => {
  const { plot, view } = map;
  let start = /** @type {{event: PointerEvent, moment: number, byte: number, window: Window} | null} */ (null);
  let brush = /** @type {HTMLElement | null} */ (null);
  let isMoved = false, timer = 0;

  const end = () => {
    start = null;
    brush?.remove();
    brush = null;
    plot.classList.remove("moving");
  };
  const showBrush = (/** @type {PointerEvent} */ from, /** @type {PointerEvent} */ to) => {
    const bounds = plot.getBoundingClientRect(), shown = brush ??= plot.appendChild(make("div", { class: "brush box" }));
    shown.style.left = `${Math.min(from.clientX, to.clientX) - bounds.left}px`;
    shown.style.top = `${Math.min(from.clientY, to.clientY) - bounds.top}px`;
    shown.style.width = `${Math.abs(from.clientX - to.clientX)}px`;
    shown.style.height = `${Math.abs(from.clientY - to.clientY)}px`;
  };
  plot.addEventListener("pointerdown", (event) => {
    const { moment, byte, isInside } = pointUnder(map, event);
    if (event.button !== 0 || !isInside) return;
    isMoved = false;
    start = { event, moment, byte, window: map.window() };
  });
  plot.addEventListener("pointermove", (event) => {
    if (!start) return;
    const across = event.clientX - start.event.clientX, down = event.clientY - start.event.clientY;
    if (!isMoved && Math.hypot(across, down) < DRAG_PIXELS) return;
    if (!isMoved) plot.setPointerCapture(event.pointerId);
    isMoved = true;
    if (!start.event.shiftKey) return showBrush(start.event, event);
    plot.classList.add("moving");
    map.show(panned(start.window, map.all(), -across / view.width(), down / view.height()), true);
  });
  plot.addEventListener("pointerup", (event) => {
    if (!start) return;
    const from = start, to = pointUnder(map, event), isPan = from.event.shiftKey;
    end();
    if (isMoved && isPan) return;
    if (!isMoved) {
      clearTimeout(timer);
      timer = window.setTimeout(() => map.clicked(event, Math.floor(to.moment)), CLICK_MILLISECONDS);
      return;
    }
    const order = (/** @type {number} */ one, /** @type {number} */ other) => [Math.min(one, other), Math.max(one, other)];
    const [first, last] = order(from.moment, to.moment), [low, high] = order(from.byte, to.byte), all = map.all();
    // The part outside the plot was never seen.
    map.show(clamped({
      first: Math.floor(Math.max(first, from.window.first)), last: Math.ceil(Math.min(last, from.window.last)),
      low: Math.max(low, from.window.low), high: Math.min(high, from.window.high)
    }, all));
  });
  plot.addEventListener("pointercancel", end);
  plot.addEventListener("dblclick", () => {
    clearTimeout(timer);
    map.show(null);
  });
};

const listenToWheel = (/** @type {Zoomable} */ map) => map.plot.addEventListener("wheel", (event) => {
  const point = pointUnder(map, event);
  // Without the focus the wheel scrolls the page, because the map fills much of the screen.
  if (!point.isInside || !(event.ctrlKey || event.metaKey || document.activeElement === map.plot)) return;
  event.preventDefault();
  map.show(zoomed(map.window(), map.all(), 2 ** (event.deltaY / WHEEL_PIXELS), point), true);
}, { passive: false });

const listenToKeys = (/** @type {Zoomable} */ map) => {
  const move = (/** @type {number} */ right, /** @type {number} */ up) => () => panned(map.window(), map.all(), right, up);
  /** @type {Record<string, () => Window | null>} */
  const windows = {
    ArrowLeft: move(-STEP, 0), ArrowRight: move(STEP, 0), ArrowUp: move(0, STEP), ArrowDown: move(0, -STEP),
    "+": () => zoomed(map.window(), map.all(), IN), "=": () => zoomed(map.window(), map.all(), IN),
    "-": () => zoomed(map.window(), map.all(), 1 / IN), 0: () => null
  };
  map.plot.addEventListener("keydown", (event) => {
    const window = windows[event.key];
    if (!window || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    map.show(window(), true);
  });
};

/** Listen to the pointer, the wheel and the keys. */
export const listenToGestures = (/** @type {Zoomable} */ map) => {
  map.plot.classList.add("timeline");
  listenToDrags(map);
  listenToWheel(map);
  listenToKeys(map);
};
