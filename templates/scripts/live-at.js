// What is resident at the chosen moment, below the chart: its scopes, and its values with every byte once, as in the
// peak's table. A band of the chart or a box of the icicle narrows the table to what is in it.
import { RESERVED, UNKNOWN } from "./bands.js";
import { counted, humanBytes } from "./bytes.js";
import { bytesCell, columnsOf, rowOf } from "./cells.js";
import { bytesByValue, residentAt } from "./composition.js";
import { loadTimeline, loadValues } from "./data.js";
import { byId, make } from "./dom.js";
import { MANY, painted } from "./drawing.js";
import { isWithin, scopeAt, scopeTree } from "./scope-tree.js";
import { shownBands } from "./stacks.js";
import * as State from "./state.js";
import { residentBytes } from "./steps.js";
import { groupSource } from "./table-rows.js";

/** @typedef {import("./scope-tree.js").Scope} Scope */

const MOST_ROWS = 200;
// Of a box of the icicle, as parts of its width, and rows.
const NARROWEST = 1 / 200, ROOM_FOR_WORDS = 1 / 25, DEEPEST = 14;

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

/** Return a box with the boxes below it; boxes that are too narrow to see are left out.
 * @type {(scope: Scope, label: string, choose: (scope: Scope) => void,
 *   place: {width: number, share: number, depth: number}) => HTMLLIElement} */
const box = (scope, label, choose, { width, share, depth }) => {
  const bar = make("span", { class: "bar", "aria-hidden": "true" }, [...scope.classes].map(([name, size]) =>
    make("span", { class: `fill-${name}`, style: `width:${(100 * size) / scope.size}%` })));
  const words = `${label}: ${scope.size.toLocaleString("en")} bytes`;
  const tile = make("button", { type: "button", class: share < ROOM_FOR_WORDS ? "tile narrow" : "tile", title: words, "aria-label": words }, [
    bar, make("span", { class: "name" }, [label]), " ", make("span", { class: "amount" }, [humanBytes(scope.size)])
  ]);
  tile.addEventListener("click", () => choose(scope));
  const shown = depth < DEEPEST ? scope.children.filter((child) => (share * child.size) / scope.size >= NARROWEST) : [];
  const children = shown.map((child) => box(child, child.name, choose,
    { width: child.size / scope.size, share: (share * child.size) / scope.size, depth: depth + 1 }));
  return make("li", { style: `width:${100 * width}%` }, children.length ? [tile, make("ol", {}, children)] : [tile]);
};

/** Return the icicle of a scope: boxes as wide as their share, each a button that looks into it. @type {(scope: Scope, label: string, choose: (scope: Scope) => void) => HTMLOListElement} */
const icicle = (scope, label, choose) =>
  make("ol", { class: "flame" }, [box(scope, label, choose, { width: 1, share: 1, depth: 0 })]);

/** Return the space that the reader looks at. */
const chosenSpace = () => {
  const select = /** @type {HTMLSelectElement} */ (document.querySelector('#packing-map select[name="space"]'));
  return Number(State.get("space") ?? select.value);
};

/** Return what the table is narrowed to: words for it, a test for values, and a button that shows all again. */
const narrowed = (/** @type {Values} */ values, /** @type {import("./bands.js").Band[]} */ bands) => {
  const within = State.get("within"), band = bands.find(({ name }) => name === State.get("band"));
  if (!within && !band) return null;
  const isInside = isWithin(within), inside = values.scopes.map(isInside);
  const all = make("button", { type: "button" }, ["Show all"]);
  all.addEventListener("click", () => State.set({ within: null, band: null }));
  return {
    has: (/** @type {number} */ number) => inside[values.scope[number]] && (!band || band.has(number)),
    line: make("p", { class: "narrowed" }, ["Only ", make("code", {}, [[band?.name, within].filter(Boolean).join(" in ")]), " ", all])
  };
};

/** Put the panel below the chart of its space, so that every chart keeps its place and its width. */
const place = (/** @type {HTMLElement} */ section, /** @type {number} */ color) => {
  const figure = document.querySelector(`figure[data-chart="memory-over-time"][data-space="${color}"]`);
  if (figure && figure.nextElementSibling !== section) figure.after(section);
};

/** Show the panel whenever a moment is chosen. */
export const startLiveAt = (/** @type {import("./time-axis.js").TimeAxis} */ axis) => {
  const section = byId("live-at"), link = byId("live-link");
  // A link from a box of the peak's icicle leads here, and not to the top of the page.
  let isFollowed = State.get("within") === null;
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
    const resident = residentBytes(space, moment);
    const live = [...owned.values()].reduce((sum, size) => sum + size, 0);
    const only = narrowed(values, bands), within = State.get("within");
    const source = {
      ...groupSource(values, (number) => Boolean(owned.get(number)) && (!only || only.has(number)), (number) => owned.get(number) ?? 0),
      moments: timeline.names.length
    };
    const tree = scopeAt(scopeTree(values, owned, resident - live, { unknown: UNKNOWN, reserved: RESERVED }), within);
    const name = timeline.names[moment];
    const title = `Resident at instruction ${counted(moment)}${name ? ` (${name})` : ""} in space ${color}`;
    const region = (/** @type {string} */ label, /** @type {Node[]} */ content) =>
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, content);
    const look = (/** @type {Scope} */ scope) => State.set({ within: scope.path === within ? null : scope.path, space: color });
    section.replaceChildren(
      make("h3", {}, [title]),
      ...(resident ? [region(`Scopes at instruction ${counted(moment)}`, [icicle(tree, tree.path || "Resident", look)])] : []),
      ...(only ? [only.line] : []),
      source.rows.length ? region(title, [table(values, source, only ? null : resident)]) : make("p", {}, ["Nothing is resident here."])
    );
    if (!isFollowed) section.scrollIntoView({ block: "center" });
    isFollowed = true;
  });
};
