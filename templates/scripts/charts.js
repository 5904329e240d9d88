// Draws charts: the specification of a kind, with the data and the parameters of the page.

import { addChartTools } from "./chart-tools.js";
import { cameIntoView } from "./drawing.js";
import { stackedSteps } from "./steps.js";

const drawn = /** @type {Map<Element, Promise<VegaView>>} */ (new Map());

const filled = (/** @type {string} */ kind, /** @type {ChartData} */ given) => {
  const specification = window.REPORT_CHARTS[kind];
  const drawn = given.steps ? stackedSteps(given.steps, [0, Number(given.params.last)]) : {};
  const params = (specification.params ?? []).map((/** @type {{name: string}} */ parameter) =>
    parameter.name in given.params ? { ...parameter, value: given.params[parameter.name] } : parameter);
  const height = given.height ?? specification.height;
  return { ...specification, height, datasets: { ...given.datasets, ...drawn }, params };
};

/** Give a drawn chart back the name and the role that the page has given its plot; Vega puts its own in their place. */
const keepName = (/** @type {HTMLElement} */ plot) => {
  const kept = ["role", "aria-label"].map((name) => /** @type {const} */ ([name, plot.getAttribute(name) ?? ""]));
  return () => {
    kept.forEach(([name, value]) => plot.setAttribute(name, value));
    plot.removeAttribute("aria-roledescription");
  };
};

/** Draw a chart and return a promise of its Vega view.
 * @type {(plot: HTMLElement, kind: string, given: ChartData, renderer?: "svg" | "canvas") => Promise<VegaView>} */
export const draw = (plot, kind, given, renderer = "svg") => {
  // `ast` because the pages' security policy forbids compiling expressions.
  const options = { ast: true, actions: false, renderer };
  const restore = keepName(plot);
  const view = window.vegaEmbed(plot, filled(kind, given), options).then((result) => result.view);
  view.then(restore, restore);
  view.catch((error) => {
    console.error(error);
    plot.textContent = "The chart could not be drawn; its facts are in the tables.";
  });
  return view;
};

const drawFigure = (/** @type {Element} */ figure) => {
  const given = JSON.parse(figure.querySelector('script[type="application/json"]')?.textContent ?? "");
  const plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
  const { chart = "", space } = /** @type {HTMLElement} */ (figure).dataset, view = draw(plot, chart, given);
  // A chart that could not be drawn says so in its place.
  view.then((made) => addChartTools(figure, space ? `${chart}-space-${space}` : chart, made), () => {});
  return view;
};

/** Draw each figure[data-chart] with the data beside it; hidden ones once the reader chooses them, because each takes a tenth of a second. */
export const drawFigures = () => document.querySelectorAll("figure[data-chart]").forEach((figure) => {
  drawn.set(figure, figure.checkVisibility() ? drawFigure(figure) : cameIntoView(figure).then(() => drawFigure(figure)));
});

/** Return the view of a figure that `drawFigures` has drawn. */
export const viewOf = (/** @type {Element} */ figure) => /** @type {Promise<VegaView>} */ (drawn.get(figure));
