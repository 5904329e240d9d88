// Drawing what is out of view can wait until the reader comes near it: a zoom of the map must not wait for the charts.

const MARGIN = "200px";

/**
 * Return a function that calls `show` at once while the element is in view, and else when it comes into view or is
 * printed.
 */
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
