// Drawing what is out of view can wait until the reader comes near it: a zoom of the map must not wait for the charts.

const MARGIN = "200px";

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
