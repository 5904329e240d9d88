// The charts of memory over program order: the visible part in full detail, by class or stacked, the chosen moment, and a
// readout of the moment under the pointer.
import { bandAt, momentsToDraw, stackedRows } from "./bands.js";
import { byteTicks, counted, humanBytes, windowTicks } from "./bytes.js";
import { chosenChange } from "./changes.js";
import { viewOf } from "./charts.js";
import { loadTimeline } from "./data.js";
import { MOST_ABOVE, chosenCapacity, chosenOption, followDevice } from "./device.js";
import { byId, make } from "./dom.js";
import { MANY, painted, placeTip, whenInView } from "./drawing.js";
import { bandColor, shownBands, stackedBy } from "./stacks.js";
import * as State from "./state.js";
import { amountAt, byteRange, residentBytes, stackedSteps, sum, thinned } from "./steps.js";

/** @typedef {import("./bands.js").Band} Band */

const STACKED_HEIGHT = 300;
// As in `chart_data.py`.
const HEADROOM = 1.12;
const OTHERS = "other temporaries";

/** Show a part of the time axis by line or by class, with the curve of a change if one is chosen, and return the bytes
 * between which it lies.
 * @type {(view: VegaView, space: SpaceSteps, range: [number, number], change: Change | null) => [number, number]} */
const showPart = (view, space, [first, last], change) => {
  const { temporary, live } = stackedSteps(space, [first, last]), total = temporary[0].class;
  view.data("temporary", temporary);
  const changed = change ? thinned(sum(space.temp, change), first, last) : [];
  const line = changed.map(([moment, amount]) => ({ moment, amount: space.static + amount }));
  view.data("live", live);
  view.data("changed", line);
  view.data("changed-peak", change && first <= change.moment && change.moment < last ? [{ moment: change.moment, amount: change.peak }] : []);
  const resident = temporary.filter((row) => row.class === total).map(({ high }) => high);
  return byteRange([...resident, ...[...live, ...line].map(({ amount }) => amount)]);
};

/** Say what a change leads to, above the plot. */
const sayChange = (/** @type {HTMLElement} */ figure, /** @type {Change | null} */ change) => {
  const place = /** @type {HTMLElement | null} */ (figure.querySelector("p.changed"));
  if (!place) return;
  place.hidden = byId("changed-legend").hidden = change === null;
  place.textContent = change?.words ?? "";
};

/** Return the part of the temporaries that has a byte of the chart at a moment, and its amount, in words; empty for
 * none.
 * @type {(space: SpaceSteps, moment: number, byte: number) => string} */
const partAt = ({ static: held, temp, parts }, moment, byte) => {
  let high = held;
  for (const part of byte < held ? [] : parts) {
    const amount = amountAt(part, moment);
    high += amount;
    if (byte < high) return `${part.name}: ${humanBytes(amount)}`;
  }
  const top = held + amountAt(temp, moment);
  return parts.length && byte >= held && byte < top ? `${OTHERS}: ${humanBytes(top - high)}` : "";
};

/** Show the bands of a part of the time axis and return the bytes between which it lies.
 * @type {(view: VegaView, bands: Band[], range: [number, number]) => [number, number]} */
const showBands = (view, bands, range) => {
  const rows = stackedRows(bands, momentsToDraw(bands, range), bandColor);
  view.data("bands", rows);
  return [0, Math.ceil(1.12 * rows.reduce((most, { high }) => Math.max(most, high), 1))];
};

/** Return the legend of a figure's bands: a button for each, which chooses it.
 * @type {(bands: Band[], choose: (band: Band) => void) => HTMLButtonElement[]} */
const bandButtons = (bands, choose) => bands.map((band, place) => {
  const chip = make("button", { type: "button", class: "chip", "aria-pressed": String(band.name === State.get("band")) }, [band.name]);
  chip.style.borderColor = bandColor(band, place);
  chip.addEventListener("click", () => choose(band));
  return chip;
});

/** @type {(figure: HTMLElement, view: VegaView, axis: import("./time-axis.js").TimeAxis) => void} */
const startChart = (figure, view, axis) => {
  const plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
  const readout = byId("readout"), color = figure.dataset.space ?? "";
  const tip = plot.appendChild(make("div", { class: "tip", hidden: "" }));
  const legend = make("p", { class: "legend", role: "group", "aria-label": "Bands of the chart", hidden: "" });
  const ofPartsLegend = /** @type {HTMLElement | null} */ (figure.querySelector(".of-parts"));
  plot.after(legend);
  const ownScale = { low: 0, limit: view.signal("limit"), ticks: view.signal("ticks"), unit_bytes: view.signal("unit_bytes"), unit: view.signal("unit") };
  const held = view.data("held"), names = view.data("names"), height = view.height(), ownCapacity = view.data("capacity");
  const ofParts = (/** @type {SpaceSteps} */ space) => isOfParts(figure) ? space : { ...space, parts: [] };
  const needed = /** @type {{limit: number}[]} */ (view.data("levels"))[0].limit;
  const [peak] = /** @type {{side: string}[]} */ (view.data("peak"));
  let shown = `0-${axis.total} by , change , device `;
  let bands = /** @type {Band[]} */ ([]);

  // An allocation belongs to one space, so a choice of another space drops it.
  const choose = (/** @type {number} */ moment, /** @type {Band | null} */ band) => State.set({
    moment, space: color, band: band?.name ?? null,
    ...(State.get("space") === color ? {} : { allocation: null })
  });
  const byteUnder = (/** @type {MouseEvent} */ event) => {
    const y = (event.clientY - plot.getBoundingClientRect().top - view.origin()[1]) / view.height();
    const low = Number(view.signal("low"));
    return low + (1 - y) * (Number(view.signal("limit")) - low);
  };

  axis.listen(view, plot, (event, moment) => choose(moment, bandAt(bands, moment, byteUnder(event))));

  // The line of the device that the reader names, unless it is so far above all else that the chart would be flat.
  const chosenLine = () => {
    const capacity = chosenCapacity(color);
    return capacity !== null && capacity <= MOST_ABOVE * needed ? capacity : null;
  };
  const wholeScale = () => {
    const top = Math.max(needed, chosenLine() ?? 0);
    return chosenLine() === null ? ownScale : { low: 0, limit: Math.max(1, Math.round(top * HEADROOM)), ...byteTicks(top) };
  };

  const showLegend = () => {
    legend.hidden = bands.length === 0;
    if (ofPartsLegend) ofPartsLegend.hidden = !isOfParts(figure);
    legend.replaceChildren(...bandButtons(bands, (band) => {
      const isChosen = band.name === State.get("band") && State.get("space") === color;
      choose(axis.chosen() ?? Number(figure.dataset.peak), isChosen ? null : band);
    }));
  };

  const showWindow = async (/** @type {string} */ wanted) => {
    if (stackedBy() && axis.total > MANY) {
      plot.setAttribute("aria-busy", "true");
      await painted();
    }
    const [timeline, change, found] = await Promise.all([loadTimeline(), chosenChange(color), shownBands(color, axis)]);
    // The reader may have chosen something else meanwhile.
    if (shown !== wanted) return;
    bands = found;
    const range = axis.range(), isStacked = bands.length > 0, ofClasses = showPart(view, ofParts(timeline.spaces[color]), range, change);
    view.data("held", isStacked ? [] : held);
    view.data("names", State.get("stack") === null ? names : []);
    view.height(isStacked ? STACKED_HEIGHT : height);
    if (isStacked) ["temporary", "live"].forEach((name) => view.data(name, []));
    else view.data("bands", []);
    const [low, limit] = isStacked ? showBands(view, bands, range) : ofClasses;
    const line = chosenLine(), whole = wholeScale();
    // As in `chart_data.py`, its name is on the side where the peak is not.
    const side = peak.side === "left" ? "right" : "left";
    view.data("capacity", line === null ? ownCapacity : [{ limit: line, label: `capacity ${chosenOption().dataset.size}`, side }]);
    const isAll = range[0] === 0 && range[1] === axis.total && (change?.peak ?? 0) <= Number(whole.limit);
    const shownBytes = isAll ? whole : { low, limit: Math.max(limit, ofClasses[1]), ...windowTicks(low, Math.max(limit, ofClasses[1])) };
    const begin = counted(Math.round(Number(shownBytes.low) / Number(shownBytes.unit_bytes)));
    view.data("begin", shownBytes.low ? [{ label: `axis begins at ${begin} ${shownBytes.unit}` }] : []);
    Object.entries(shownBytes).forEach(([name, value]) => view.signal(name, value));
    sayChange(figure, change);
    plot.removeAttribute("aria-busy");
    view.runAsync();
  };

  const update = whenInView(figure, async () => {
    const range = axis.range(), moment = axis.chosen(), wanted = `${range.join("-")} by ${State.get("stack") ?? ""}, change ${State.get("suggestion") ?? ""}, device ${chosenLine() ?? ""}`;
    view.signal("first", range[0]).signal("last", range[1]);
    view.data("chosen", moment === null ? [] : [{ moment }]);
    view.runAsync();
    if (shown !== wanted) {
      shown = wanted;
      await showWindow(wanted);
    }
    showLegend();
  });
  axis.follow(update);
  followDevice(update);

  plot.addEventListener("pointermove", async (event) => {
    const moment = Math.floor(axis.momentUnder(view, plot, event));
    const { names, recomputes, spaces } = await loadTimeline();
    if (moment < 0 || moment >= axis.total || !plot.matches(":hover")) {
      tip.hidden = true;
      return;
    }
    const space = spaces[color], band = bandAt(bands, moment, byteUnder(event));
    const resident = humanBytes(residentBytes(space, moment));
    const live = humanBytes(amountAt(space.live, moment)), change = await chosenChange(color);
    const changed = change ? `resident with the suggestion ${humanBytes(residentBytes(space, moment) + amountAt(change, moment))}` : "";
    const ofBand = band ? `${band.name}: ${humanBytes(band.amounts[moment])}` : partAt(ofParts(space), moment, byteUnder(event));
    const again = recomputes[moment] ? `recomputes ${recomputes[moment]}` : "";
    const lines = [`instruction ${counted(moment)}`, names[moment] || "", again, ofBand, changed, `resident ${resident}`, `live ${live}`];
    placeTip(tip, plot, event, lines.filter(Boolean));
    readout.textContent = `Space ${color}, instruction ${counted(moment)}: ${lines.slice(1).filter(Boolean).join(", ")}`;
  });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
};

/** Return whether a chart shows the lines or scopes that fill the temporaries. */
const isOfParts = (/** @type {HTMLElement} */ figure) => "parts" in figure.dataset && State.get("stack") === null;

/** Make every chart of memory over time follow the time axis, and the pointer choose and zoom. */
export const startMemoryOverTime = (/** @type {import("./time-axis.js").TimeAxis} */ axis) => {
  const figures = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('figure[data-chart="memory-over-time"]')]);
  axis.follow(() => {
    // Bands have a legend of their own, areas have their names inside, and the line of what is live would cross them.
    const chosen = figures.find(({ dataset }) => dataset.space === State.get("space")) ?? figures[0];
    const chips = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#memory > .legend > .of-classes"));
    chips.forEach((chip) => {
      chip.hidden = isOfParts(chosen) || (stackedBy() !== null && chip.matches(".of-classes"));
    });
  });
  figures.forEach(async (figure) => startChart(figure, await viewOf(figure), axis));
};
