// What is resident at the chosen moment, below the chart: its values with every byte once, as in the peak's table. A band
// of the chart narrows the table to what is in it.
import { RESERVED } from "./bands.js";
import { counted } from "./bytes.js";
import { bytesCell, columnsOf, rowOf } from "./cells.js";
import { bytesByValue, residentAt } from "./composition.js";
import { loadTimeline, loadValues } from "./data.js";
import { byId, make } from "./dom.js";
import { MANY, painted } from "./drawing.js";
import { shownBands } from "./stacks.js";
import * as State from "./state.js";
import { residentBytes } from "./steps.js";
import { groupSource } from "./table-rows.js";

const MOST_ROWS = 200;

/** Return the table of the rows of a source; where they are all, `resident` is what its last row adds up to. Its head
 * is that of the table of all values.
 * @type {(values: Values, source: import("./table-rows.js").Source, resident: number | null) => HTMLTableElement} */
const table = (values, source, resident) => {
  const template = /** @type {HTMLTemplateElement} */ (byId("live-table"));
  const made = /** @type {HTMLTableElement} */ (template.content.firstElementChild?.cloneNode(true)), columns = columnsOf(made);
  const { rows } = source, sum = (/** @type {typeof rows} */ some) => some.reduce((total, { size }) => total + size, 0);
  const sumRow = (/** @type {number} */ size, /** @type {string} */ words, /** @type {Record<string, string>} */ attributes = {}) =>
    make("tr", attributes, [bytesCell(size), make("th", { scope: "row", colspan: String(columns.length - 1) }, [words])]);
  const others = rows.slice(MOST_ROWS), live = sum(rows), reserved = resident === null ? 0 : resident - live;
  made.append(
    make("tbody", {}, rows.slice(0, MOST_ROWS).map((row) => rowOf(values, source, columns, row))),
    make("tfoot", {}, [
      ...(others.length ? [sumRow(sum(others), `${counted(others.length)} more`)] : []),
      sumRow(live, "live", { class: "live" }),
      ...(reserved ? [sumRow(reserved, RESERVED)] : []),
      ...(resident === null ? [] : [sumRow(resident, `resident: ${counted(resident)} bytes`, { class: "total" })])
    ])
  );
  return made;
};

/** Return the space that the reader looks at. */
const chosenSpace = () => {
  const select = /** @type {HTMLSelectElement} */ (document.querySelector('#packing-map select[name="space"]'));
  return Number(State.get("space") ?? select.value);
};

/** Return what says that the table is narrowed to a band, with a button that shows all again. */
const narrowedTo = (/** @type {string} */ name) => {
  const all = make("button", { type: "button" }, ["Show all"]);
  all.addEventListener("click", () => State.set({ band: null }));
  return make("p", { class: "narrowed" }, ["Only ", make("code", {}, [name]), " ", all]);
};

/** Put the panel below the chart of its space, so that every chart keeps its place and its width. */
const place = (/** @type {HTMLElement} */ section, /** @type {number} */ color) => {
  const figure = document.querySelector(`figure[data-chart="memory-over-time"][data-space="${color}"]`);
  if (figure && figure.nextElementSibling !== section) figure.after(section);
};

/** Show the panel whenever a moment is chosen. */
export const startLiveAt = (/** @type {import("./time-axis.js").TimeAxis} */ axis) => {
  const section = byId("live-at"), link = byId("live-link");
  axis.follow(async () => {
    const moment = axis.chosen();
    section.hidden = link.hidden = moment === null;
    place(section, chosenSpace());
    if (moment === null) return;
    const color = chosenSpace();
    if (axis.total > MANY) {
      section.replaceChildren(make("p", { class: "working" }, ["Working…"]));
      await painted();
    }
    const [values, timeline, bands] = await Promise.all([loadValues(), loadTimeline(), shownBands(String(color), axis)]);
    // Another moment may have been chosen meanwhile.
    if (axis.chosen() !== moment || chosenSpace() !== color) return;
    const space = timeline.spaces[color], owned = bytesByValue(values, residentAt(values, color, moment));
    const band = bands.find(({ name }) => name === State.get("band"));
    const source = {
      ...groupSource(values, (number) => Boolean(owned.get(number)) && (!band || band.has(number)), (number) => owned.get(number) ?? 0),
      moments: timeline.names.length
    };
    const name = timeline.names[moment];
    const title = `Resident at instruction ${counted(moment)}${name ? ` (${name})` : ""} in space ${color}`;
    section.replaceChildren(
      make("h3", {}, [title]),
      ...(band ? [narrowedTo(band.name)] : []),
      source.rows.length
        ? make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
          [table(values, source, band ? null : residentBytes(space, moment))])
        : make("p", {}, ["Nothing is resident here."])
    );
  });
};
