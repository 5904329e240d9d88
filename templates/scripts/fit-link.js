// On the page of a value: a link to its place on the packing map of the module.
import { make } from "./dom.js";

/** Add the link, where the page is that of a value. Its file is named after the value, as the map's data names it. */
export const startFitLink = () => {
  const steps = document.querySelector("nav.steps[data-map]");
  const name = /([^/]+)\.html$/.exec(location.pathname)?.[1];
  if (!steps || !name) return;
  const href = `${/** @type {HTMLElement} */ (steps).dataset.map}#fit=${name}`;
  steps.append(make("a", { href }, ["Show on the packing map"]));
};
