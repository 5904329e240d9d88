// The table of what is resident at the chosen moment: every byte once, as in the peak's table.
import { allocationLink, bytesCell, originCell, valueLink } from "./cells.js";
import { bytesByValue, residentAt } from "./composition.js";
import { loadTimeline, loadValues } from "./data.js";
import { byId, make } from "./dom.js";
import * as State from "./state.js";
import { amountAt } from "./steps.js";

const MOST_ROWS = 200;
const HEAD = "<thead><tr><th scope=col class=number>Bytes</th><th scope=col>Value</th><th scope=col>Allocation</th>" +
  "<th scope=col>Class</th><th scope=col>Live range</th><th scope=col>Shape</th>" +
  "<th scope=col>Operation or argument</th></tr></thead>";

/**
 * @param {Values} values
 * @param {number} number
 * @param {number} size
 */
const valueRow = (values, number, size) => make("tr", {}, [
  bytesCell(size),
  make("th", { scope: "row" }, [valueLink(values, number)]),
  make("td", {}, [allocationLink(values, values.allocation[number])]),
  make("td", {}, [values.classes[values.class[number]]]),
  make("td", {}, [`${values.first[number]} to ${values.last[number]}`]),
  make("td", {}, [make("code", {}, [values.shapes[values.shape[number]]])]),
  originCell(values.scopes[values.scope[number]], values.sources[values.source[number]])
]);

/**
 * @param {number} size
 * @param {string} words
 * @param {Record<string, string>} [attributes]
 */
const sumRow = (size, words, attributes = {}) =>
  make("tr", attributes, [bytesCell(size), make("th", { scope: "row", colspan: "6" }, [words])]);

/**
 * @param {Values} values
 * @param {Map<number, number>} owned
 * @param {number} resident
 */
const table = (values, owned, resident) => {
  const largestFirst = [...owned].sort(([, one], [, other]) => other - one);
  const shown = largestFirst.slice(0, MOST_ROWS), others = largestFirst.slice(MOST_ROWS);
  const sum = (/** @type {[number, number][]} */ entries) => entries.reduce((total, [, size]) => total + size, 0);
  const live = sum(largestFirst), reserved = resident - live;
  const made = make("table");
  made.innerHTML = HEAD;
  made.append(
    make("tbody", {}, shown.map(([number, size]) => valueRow(values, number, size))),
    make("tfoot", {}, [
      ...(others.length ? [sumRow(sum(others), `${others.length.toLocaleString("en")} more`)] : []),
      sumRow(live, "live", { class: "live" }),
      ...(reserved ? [sumRow(reserved, "reserved, with no live value")] : []),
      sumRow(resident, `resident: ${resident.toLocaleString("en")} bytes`, { class: "total" })
    ])
  );
  return made;
};

/** Return the space that the reader looks at. */
const chosenSpace = () => {
  const select = /** @type {HTMLSelectElement} */ (document.querySelector('#packing-map select[name="space"]'));
  return Number(State.get("space") ?? select.value);
};

/**
 * Show the table whenever a moment is chosen.
 * @param {import("./time-axis.js").TimeAxis} axis
 */
export const startLiveAt = (axis) => {
  const section = byId("live-at"), link = byId("live-link");
  axis.follow(async () => {
    const moment = axis.chosen();
    section.hidden = link.hidden = moment === null;
    if (moment === null) return;
    const [values, timeline] = await Promise.all([loadValues(), loadTimeline()]);
    // Another moment may have been chosen meanwhile.
    if (axis.chosen() !== moment) return;
    const color = chosenSpace(), live = residentAt(values, color, moment);
    const space = timeline.spaces[color], resident = space.static + amountAt(space.temp, moment);
    const name = timeline.names[moment];
    const title = `Resident at moment ${moment}${name ? ` (${name})` : ""} in space ${color}`;
    const region = { class: "scroll", tabindex: "0", role: "region", "aria-label": title };
    const content = resident ? table(values, bytesByValue(values, live), resident) : "Nothing is resident here.";
    // Below the chart of its space, where the reader has clicked; it scrolls on its own and pushes nothing far away.
    document.querySelector(`figure[data-chart="memory-over-time"][data-space="${color}"]`)?.after(section);
    section.replaceChildren(make("h3", {}, [title]), make("div", region, [content]));
  });
};
