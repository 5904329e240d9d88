// The rows of the table of a peak, or of any instruction, from the data of a module; `peak_table.py` declares its columns.
import { bytesByValue, residentAt } from "./composition.js";
import { lookOf } from "./names.js";
import { valueKeys } from "./table-rows.js";

/**
 * @typedef {import("./table-rows.js").Source} Source
 * @typedef {{size: number, allocation: number, value: number, of: number}} Share
 * Bytes of an allocation: of a live value, or reserved for `of` while no `value` is live in them; -1 for none.
 */

/**
 * Return what is resident in a memory space at a moment, largest first. `composition.py` does the same for the page.
 * @param {Values} values
 * @param {number} color
 * @param {number} moment
 * @returns {Pick<Source, "rows" | "keys" | "drawn"> & {shares: Share[]}}
 */
export const peakSource = (values, color, moment) => {
  const { allocations, classes } = values, shares = sharesAt(values, color, moment);
  const rows = [...shares.keys()], total = shares.reduce((sum, { size }) => sum + size, 0);
  const keys = valueKeys(values);
  const look = (/** @type {number} */ row) => shares[row].of < 0 ? classes[allocations.class[shares[row].allocation]] : lookOf(values, shares[row].of);
  const ofOwner = (/** @type {string} */ key) => (/** @type {number} */ row) => shares[row].of < 0 ? "" : keys[key](shares[row].of);
  return {
    rows,
    shares,
    keys: {
      size: (row) => shares[row].size,
      share: (row) => shares[row].size / total,
      value: ofOwner("value"),
      shape: ofOwner("shape"),
      origin: ofOwner("origin"),
      live: (row) => {
        const { value } = shares[row];
        return value < 0 || values.first[value] < 0 ? "" : `${values.first[value]} to ${values.last[value]}`;
      },
      allocation: (row) => allocations.index[shares[row].allocation]
    },
    drawn: {
      shape: (row) => plainShape(ofOwner("shape")(row)),
      share: (row) => ({ share: shares[row].size / total, width: shares[row].size / shares[0].size, look: look(row) }),
      value: (row) => shares[row],
      origin: (row) => shares[row].of,
      allocation: (row) => shares[row].allocation
    }
  };
};

/** Return a shape without its layout; one of a tuple has several. */
export const plainShape = (/** @type {import("./table-rows.js").Key} */ shape) => {
  const text = String(shape);
  return text.startsWith("(") ? text : text.replace(/^b\(/, "").split("{")[0].replace(/\)$/, "");
};

/**
 * @param {Values} values
 * @param {number} color
 * @param {number} moment
 * @returns {Share[]}
 */
const sharesAt = (values, color, moment) => {
  const { allocations, classes } = values, owned = bytesByValue(values, residentAt(values, color, moment));
  const idle = allocations.size.map((size, allocation) => allocations.color[allocation] === color &&
    !["temporary", "thread-local"].includes(classes[allocations.class[allocation]]) ? size : 0);
  owned.forEach((size, value) => { idle[values.allocation[value]] -= size; });
  const last = lastOfEach(values);
  return [
    ...[...owned].filter(([value, size]) => size || !values.size[value])
      .map(([value, size]) => ({ size, allocation: values.allocation[value], value, of: value })),
    ...[...idle.entries()].filter(([, size]) => size > 0)
      .map(([allocation, size]) => ({ size, allocation, value: -1, of: last.get(allocation) ?? -1 }))
  ].sort((one, other) => other.size - one.size || one.allocation - other.allocation || one.value - other.value);
};

/**
 * Return the value that each allocation is reserved for while none is live in it: the last one that it holds.
 * @param {Values} values
 * @returns {Map<number, number>}
 */
const lastOfEach = ({ allocation, last, size }) => {
  /** @type {Map<number, number>} */
  const found = new Map();
  allocation.forEach((at, number) => {
    const known = found.get(at);
    if (last[number] < 0) return;
    if (known === undefined || (last[number] - last[known] || size[number] - size[known]) > 0) found.set(at, number);
  });
  return found;
};
