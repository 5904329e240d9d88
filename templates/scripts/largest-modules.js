// The chart of the largest modules on the overview: the size of the part of a bar under the pointer.
import { humanBytes } from "./bytes.js";
import { viewOf } from "./charts.js";
import { make } from "./dom.js";
import { placeTip } from "./tip.js";

/** @param {Element} figure */
const startChart = async (figure) => {
  const view = await viewOf(figure), plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
  const names = /** @type {string[]} */ (view.signal("names"));
  const tip = plot.appendChild(make("div", { class: "tip", hidden: "" }));
  view.addEventListener("pointermove", (event, item) => {
    const part = /** @type {{rank: number, class: string, low: number, high: number} | undefined} */ (item?.datum);
    if (part?.class) placeTip(tip, plot, event, [names[part.rank], `${part.class} ${humanBytes(part.high - part.low)}`]);
    else tip.hidden = true;
  });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
};

/** Say what the parts of bars are, where the page has the chart. */
export const startLargestModules = () =>
  document.querySelectorAll('figure[data-chart="largest-modules"]').forEach(startChart);
