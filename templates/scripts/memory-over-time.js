// The charts of memory over program order: the visible part in full detail, the chosen moment, and a readout of the
// moment under the pointer.
import { humanBytes, windowTicks } from "./bytes.js";
import { viewOf } from "./charts.js";
import { loadTimeline } from "./data.js";
import { byId, make } from "./dom.js";
import * as State from "./state.js";
import { amountAt, byteRange, thinned } from "./steps.js";
import { placeTip } from "./tip.js";

/**
 * Show a part of the time axis and return the bytes between which it lies.
 * @param {VegaView} view
 * @param {SpaceSteps} space
 * @param {[number, number]} range
 */
const showPart = (view, space, [first, last]) => {
  const temporary = thinned(space.temp, first, last).map(([moment, amount]) =>
    ({ class: "temporary", moment, low: space.static, high: space.static + amount }));
  const live = thinned(space.live, first, last).map(([moment, amount]) => ({ moment, amount }));
  view.data("temporary", temporary);
  view.data("live", live);
  return byteRange([...temporary.map(({ high }) => high), ...live.map(({ amount }) => amount)]);
};

/**
 * @param {HTMLElement} figure
 * @param {VegaView} view
 * @param {import("./time-axis.js").TimeAxis} axis
 */
const startChart = (figure, view, axis) => {
  const plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
  const readout = byId("readout"), color = figure.dataset.space ?? "";
  const tip = plot.appendChild(make("div", { class: "tip", hidden: "" }));
  const whole = { low: 0, limit: view.signal("limit"), ticks: view.signal("ticks"), unit_bytes: view.signal("unit_bytes"), unit: view.signal("unit") };
  let shown = `0-${axis.total}`;

  axis.listen(view, plot, (_, moment) => {
    // An allocation belongs to one space, so a choice of another space drops it.
    State.set({ moment, space: color, ...(State.get("space") === color ? {} : { allocation: null }) });
  });

  axis.follow(async () => {
    const range = axis.range(), moment = axis.chosen();
    view.signal("first", range[0]).signal("last", range[1]);
    view.data("chosen", moment === null ? [] : [{ moment }]);
    view.runAsync();
    if (shown === range.join("-")) return;
    shown = range.join("-");
    const timeline = await loadTimeline();
    const space = timeline.spaces[color], [from, to] = axis.range();
    const [low, limit] = showPart(view, space, [from, to]);
    const isAll = from === 0 && to === axis.total;
    Object.entries(isAll ? whole : { low, limit, ...windowTicks(low, limit) }).forEach(([name, value]) => view.signal(name, value));
    view.runAsync();
  });

  plot.addEventListener("pointermove", async (event) => {
    const moment = Math.floor(axis.momentUnder(view, plot, event));
    const { names, spaces } = await loadTimeline();
    if (moment < 0 || moment >= axis.total || !plot.matches(":hover")) {
      tip.hidden = true;
      return;
    }
    const space = spaces[color];
    const resident = humanBytes(space.static + amountAt(space.temp, moment));
    const live = humanBytes(amountAt(space.live, moment));
    placeTip(tip, plot, event, [`moment ${moment}`, names[moment] || "", `resident ${resident}`, `live ${live}`].filter(Boolean));
    readout.textContent = `Space ${color}, moment ${moment}: ${names[moment] || ""}, resident ${resident}, live ${live}`;
  });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
};

/**
 * Make every chart of memory over time follow the time axis, and the pointer choose and zoom.
 * @param {import("./time-axis.js").TimeAxis} axis
 */
export const startMemoryOverTime = (axis) => {
  const figures = document.querySelectorAll('figure[data-chart="memory-over-time"]');
  figures.forEach(async (figure) => startChart(/** @type {HTMLElement} */ (figure), await viewOf(figure), axis));
};
