// Tooltips at the pointer.
import { make } from "./dom.js";

const DISTANCE = 14;

/** Show lines beside the pointer, within the width of the plot; the first line is the heading.
 * @type {(tip: HTMLElement, plot: HTMLElement, event: PointerEvent, lines: string[]) => void} */
export const placeTip = (tip, plot, event, lines) => {
  tip.hidden = false;
  tip.replaceChildren(...lines.map((line, row) => make(row ? "div" : "strong", {}, [line])));
  const bounds = plot.getBoundingClientRect(), x = event.clientX - bounds.left;
  tip.style.top = `${event.clientY - bounds.top + DISTANCE}px`;
  // On the other side where it would leave the plot, so that it never covers the pointer.
  const left = x + DISTANCE + tip.offsetWidth > bounds.width ? x - DISTANCE - tip.offsetWidth : x + DISTANCE;
  tip.style.left = `${Math.max(0, left)}px`;
};
