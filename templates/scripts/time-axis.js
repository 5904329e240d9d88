// The time axis of a module's page: which part of it is shown and which moment is chosen.
// Everything that shows time follows it; the URL keeps both, so that a link shows the same view.
import { make } from "./dom.js";
import { addKey } from "./keys.js";
import * as State from "./state.js";

/** @typedef {ReturnType<typeof createTimeAxis>} TimeAxis */

const DRAG_PIXELS = 5;
// A click waits this long, because it may become a double click, which must not choose anything.
const CLICK_MILLISECONDS = 250;

/** Return the whole number between two limits that the state holds for `key`, or null.
 * @type {(key: string, least: number, most: number) => number | null} */
const number = (key, least, most) => {
  const text = State.get(key);
  const found = text ? Number(text) : NaN;
  return Number.isInteger(found) && found >= least && found <= most ? found : null;
};

/** Return the time axis of `total` moments. */
export const createTimeAxis = (/** @type {number} */ total) => {
  const chosen = () => number("moment", 0, total - 1);

  /** @type {() => [number, number]} */
  const range = () => {
    const first = number("from", 0, total), last = number("to", 0, total);
    return first !== null && last !== null && first < last ? [first, last] : [0, total];
  };

  const choose = (/** @type {number | null} */ moment) => State.set({ moment });

  const zoom = (/** @type {number} */ first, /** @type {number} */ last) => {
    const isAll = first <= 0 && last >= total;
    State.set({ from: isAll ? null : Math.max(0, first), to: isAll ? null : Math.min(total, last) });
  };

  // Calls `follower` now and after every change.
  const follow = (/** @type {() => void} */ follower) => {
    State.onChange(follower);
    follower();
  };

  // The moment under a pointer in a Vega view's plot, which may also be beside the plot's axes.
  const momentUnder = (/** @type {VegaView} */ view, /** @type {Element} */ plot, /** @type {MouseEvent} */ event) => {
    const [first, last] = range();
    const x = event.clientX - plot.getBoundingClientRect().left - view.origin()[0];
    return first + (x / view.width()) * (last - first);
  };

  /** Let a click choose, a drag zoom in and a double click reset the zoom.
   * @type {(view: VegaView, plot: HTMLElement, clicked: (event: PointerEvent, moment: number) => void) => void} */
  const listen = (view, plot, clicked) => {
    let start = /** @type {{x: number, moment: number} | null} */ (null);
    let brush = /** @type {HTMLElement | null} */ (null);
    let timer = 0;
    const end = () => {
      start = null;
      brush?.remove();
      brush = null;
    };
    plot.classList.add("timeline");
    plot.addEventListener("pointerdown", (event) => {
      if (event.button === 0) start = { x: event.clientX, moment: momentUnder(view, plot, event) };
    });
    plot.addEventListener("pointermove", (event) => {
      if (!start || Math.abs(event.clientX - start.x) < DRAG_PIXELS) return;
      if (!brush) {
        brush = make("div", { class: "brush" });
        plot.append(brush);
        plot.setPointerCapture(event.pointerId);
      }
      const left = plot.getBoundingClientRect().left;
      brush.style.left = `${Math.min(start.x, event.clientX) - left}px`;
      brush.style.width = `${Math.abs(event.clientX - start.x)}px`;
    });
    plot.addEventListener("pointerup", (event) => {
      if (!start) return;
      const from = start.moment, to = momentUnder(view, plot, event), isDrag = brush !== null;
      end();
      if (isDrag) zoom(Math.floor(Math.min(from, to)), Math.ceil(Math.max(from, to)));
      else if (to >= 0 && to < total) {
        clearTimeout(timer);
        timer = window.setTimeout(() => clicked(event, Math.floor(to)), CLICK_MILLISECONDS);
      }
    });
    plot.addEventListener("pointercancel", end);
    plot.addEventListener("dblclick", () => {
      clearTimeout(timer);
      zoom(0, total);
    });
  };

  return { total, chosen, range, choose, zoom, follow, momentUnder, listen };
};

/** Choose the moment of the peak in the chosen space. */
const peakMoment = () => {
  const figure = document.querySelector(`figure[data-space="${State.get("space") ?? ""}"]`) ??
    document.querySelector("figure[data-peak]");
  return Number(/** @type {HTMLElement} */ (figure).dataset.peak);
};

/** Let the form show and change the time axis. */
export const startControls = (/** @type {HTMLFormElement} */ form, /** @type {TimeAxis} */ axis) => {
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const moment = field("moment");

  const choosePeak = () => axis.choose(peakMoment());

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  moment.addEventListener("change", () => {
    const entered = Math.round(Number(moment.value));
    axis.choose(moment.value === "" ? null : Math.min(axis.total - 1, Math.max(0, entered)));
  });
  field("peak").addEventListener("click", choosePeak);
  field("none").addEventListener("click", () => axis.choose(null));
  field("all").addEventListener("click", () => axis.zoom(0, axis.total));
  addKey("p", "Choose the peak", choosePeak);
  axis.follow(() => { moment.value = String(axis.chosen() ?? ""); });
};
