// What the charts that scripts draw need of the page: when to draw, its colors, and tooltips. What is out of view waits until
// the reader comes near it, because a zoom of the map must not wait for the charts.
import { make } from "./dom.js";

const MARGIN = "200px";
const TIP_DISTANCE = 14;

/** What so many values or moments are drawn or filtered for can take longer than a reader waits without a sign. */
export const MANY = 5000;

/** Wait until what has changed is on the screen: a script that runs keeps the browser from showing it. */
export const painted = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });

/** Return when an element has come into view, or within a margin of it. @type {(element: Element, margin?: string) => Promise<void>} */
export const cameIntoView = (element, margin = "0px") => new Promise((resolve) => {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    resolve();
  }, { rootMargin: margin });
  observer.observe(element);
});

/** Return a function that calls `show` at once while the element is in view, and else when it comes into view or is
 * printed. */
export const whenInView = (/** @type {Element} */ element, /** @type {() => void} */ show) => {
  let isInView = false, isStale = false;
  const catchUp = () => {
    if (isStale) show();
    isStale = false;
  };
  new IntersectionObserver((entries) => {
    isInView = entries[entries.length - 1].isIntersecting;
    if (isInView) catchUp();
  }, { rootMargin: MARGIN }).observe(element);
  addEventListener("beforeprint", catchUp);
  return () => {
    isStale = true;
    if (isInView) catchUp();
  };
};

/** Return a custom property of theme.css as the color that is shown now, such as `rgb(0, 114, 178)`. */
export const themeColor = (/** @type {string} */ name) => {
  // The property itself reads `light-dark(…)`; only a color of an element is computed.
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
};

/** Show lines beside the pointer, within the width of the plot; the first line is the heading.
 * @type {(tip: HTMLElement, plot: HTMLElement, event: PointerEvent, lines: string[]) => void} */
export const placeTip = (tip, plot, event, lines) => {
  tip.hidden = false;
  tip.replaceChildren(...lines.map((line, row) => make(row ? "div" : "strong", {}, [line])));
  const bounds = plot.getBoundingClientRect(), x = event.clientX - bounds.left;
  tip.style.top = `${event.clientY - bounds.top + TIP_DISTANCE}px`;
  // On the other side where it would leave the plot, so that it never covers the pointer.
  const left = x + TIP_DISTANCE + tip.offsetWidth > bounds.width ? x - TIP_DISTANCE - tip.offsetWidth : x + TIP_DISTANCE;
  tip.style.left = `${Math.max(0, left)}px`;
};
