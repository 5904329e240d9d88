// The charts of memory over program order: the visible part in full detail, the chosen moment, and a readout of the
// moment under the pointer.
import { humanBytes, windowTicks } from "./bytes.js";
import { chosenChange } from "./changes.js";
import { viewOf } from "./charts.js";
import { loadTimeline } from "./data.js";
import { byId, make } from "./dom.js";
import * as State from "./state.js";
import { amountAt, byteRange, sum, thinned } from "./steps.js";
import { placeTip } from "./tip.js";

/**
 * Show a part of the time axis, with the curve of a change if one is chosen, and return the bytes between which it lies.
 * @param {VegaView} view
 * @param {SpaceSteps} space
 * @param {[number, number]} range
 * @param {Change | null} change
 */
const showPart = (view, space, [first, last], change) => {
  const temporary = thinned(space.temp, first, last).map(([moment, amount]) =>
    ({ class: "temporary", moment, low: space.static, high: space.static + amount }));
  const live = thinned(space.live, first, last).map(([moment, amount]) => ({ moment, amount }));
  view.data("temporary", temporary);
  const changed = change ? thinned(sum(space.temp, change), first, last) : [];
  const line = changed.map(([moment, amount]) => ({ moment, amount: space.static + amount }));
  view.data("live", live);
  view.data("changed", line);
  view.data("changed-peak", change && first <= change.moment && change.moment < last ? [{ moment: change.moment, amount: change.peak }] : []);
  return byteRange([...temporary.map(({ high }) => high), ...[...live, ...line].map(({ amount }) => amount)]);
};

/**
 * Say what a change leads to, above the plot.
 * @param {HTMLElement} figure
 * @param {Change | null} change
 */
const sayChange = (figure, change) => {
  const place = /** @type {HTMLElement | null} */ (figure.querySelector("p.changed"));
  if (!place) return;
  place.hidden = byId("changed-legend").hidden = change === null;
  place.textContent = change?.words ?? "";
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
  let shown = `0-${axis.total}-`;

  axis.listen(view, plot, (_, moment) => {
    // An allocation belongs to one space, so a choice of another space drops it.
    State.set({ moment, space: color, ...(State.get("space") === color ? {} : { allocation: null }) });
  });

  axis.follow(async () => {
    const range = axis.range(), moment = axis.chosen();
    view.signal("first", range[0]).signal("last", range[1]);
    view.data("chosen", moment === null ? [] : [{ moment }]);
    view.runAsync();
    const asked = [...range, State.get("move") ?? ""].join("-");
    if (shown === asked) return;
    shown = asked;
    const [timeline, change] = await Promise.all([loadTimeline(), chosenChange(color)]);
    // The reader may have chosen something else meanwhile.
    if (shown !== asked) return;
    const space = timeline.spaces[color], [low, limit] = showPart(view, space, range, change);
    const isAll = range[0] === 0 && range[1] === axis.total && (change?.peak ?? 0) <= Number(whole.limit);
    Object.entries(isAll ? whole : { low, limit, ...windowTicks(low, limit) }).forEach(([name, value]) => view.signal(name, value));
    sayChange(figure, change);
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
    const live = humanBytes(amountAt(space.live, moment)), change = await chosenChange(color);
    const changed = change ? `resident with the change ${humanBytes(space.static + amountAt(space.temp, moment) + amountAt(change, moment))}` : "";
    const lines = [`moment ${moment}`, names[moment] || "", changed, `resident ${resident}`, `live ${live}`];
    placeTip(tip, plot, event, lines.filter(Boolean));
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
