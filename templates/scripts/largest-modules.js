// The chart of the largest modules on the overview: the size of the part of a bar under the pointer, and the line of the
// device that the reader names.
import { byteTicks, humanBytes } from "./bytes.js";
import { viewOf } from "./charts.js";
import { MOST_ABOVE, followDevice } from "./device.js";
import { make } from "./dom.js";
import { placeTip } from "./tip.js";

/** @param {Element} figure */
const startChart = async (figure) => {
  const view = await viewOf(figure), plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
  const names = /** @type {string[]} */ (view.signal("names"));
  const largest = Number(view.signal("limit")), own = view.data("capacity");
  followDevice((capacity) => {
    const line = capacity !== null && capacity <= MOST_ABOVE * largest ? capacity : 0, top = Math.max(largest, line);
    view.data("capacity", line ? [{ limit: line }] : own);
    Object.entries({ limit: top, ...byteTicks(top) }).forEach(([name, value]) => view.signal(name, value));
    view.runAsync();
  });
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
