// What the charts of memory over program order are stacked by, which the reader chooses, and the bands that follow from it.
import { RESERVED, UNKNOWN, bandsOf, grouping } from "./bands.js";
import { loadTimeline, loadValues } from "./data.js";
import { PALETTE } from "./map-colors.js";
import * as State from "./state.js";

/** @typedef {import("./bands.js").Band} Band */

const CHOICES = ["scope", "shape", "value"];
const latest = /** @type {Map<string, {key: string, bands: Band[]}>} */ (new Map());
const groupings = /** @type {Map<string, import("./bands.js").Grouping>} */ (new Map());

/** Return what the charts are stacked by, or null for the classes of memory. */
export const stackedBy = () => {
  const by = State.get("stack");
  return by !== null && CHOICES.includes(by) ? /** @type {import("./bands.js").StackBy} */ (by) : null;
};

/** Return the bands of a memory space in the part of the time axis that is shown; none where classes are shown.
 * @type {(color: string, axis: import("./time-axis.js").TimeAxis) => Promise<Band[]>} */
export const shownBands = async (color, axis) => {
  if (!stackedBy()) return [];
  const [values, timeline] = await Promise.all([loadValues(), loadTimeline()]);
  // The reader may have chosen otherwise meanwhile.
  const by = stackedBy();
  if (!by) return [];
  const range = axis.range(), key = `${by} ${range.join("-")}`, known = latest.get(color);
  if (known?.key === key) return known.bands;
  const groups = groupings.get(`${by} ${color}`) ?? grouping(values, Number(color), by, axis.total);
  groupings.set(`${by} ${color}`, groups);
  const bands = bandsOf(groups, timeline.spaces[color], by, range, axis.total);
  latest.set(color, { key, bands });
  return bands;
};

/** Return the color of a band: hues that no class of memory has, and grays for what has no name. */
export const bandColor = (/** @type {Band} */ { name }, /** @type {number} */ place) => {
  if (name === RESERVED) return "var(--line)";
  return name === UNKNOWN ? "var(--class-thread-local)" : PALETTE[place] ?? "var(--muted)";
};
