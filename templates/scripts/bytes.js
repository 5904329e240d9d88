// Sizes, counts and moments as people read them. `human_bytes` and `byte_ticks` do the same in Python: tests/shared_cases holds both to it.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const STEP = 1024;
const FOUR_DIGITS = 1000;
const TICKS = 7;
// Kept, because `toLocaleString` looks for the language each time, which takes longer than a row of a table.
const FORMATS = [0, 1, 2].map((decimals) => new Intl.NumberFormat("en", { minimumFractionDigits: decimals }));

/** Return `13,909`: a count, or a moment. */
export const counted = (/** @type {number} */ count) => FORMATS[0].format(count);

/** Return an amount with so many decimals. A half is rounded to the even digit, as Python does, because a read-out must
 * equal the table: `toFixed` would show 3.125 as 3.13 where the table has 3.12. */
const rounded = (/** @type {number} */ amount, /** @type {0 | 1 | 2} */ decimals) => {
  const scale = 10 ** decimals, scaled = amount * scale, below = Math.floor(scaled), rest = scaled - below;
  const isUp = rest > 0.5 || (rest === 0.5 && below % 2 !== 0);
  return FORMATS[decimals].format((below + Number(isUp)) / scale);
};

/** Return `2.52 GiB`, `25.4 GiB` or `768 MiB`: binary units, three digits, or bytes in full below 1024. */
export const humanBytes = (/** @type {number} */ size) => {
  if (Math.abs(size) < STEP) return `${counted(size)} B`;
  let amount = size, unit = 0;
  do {
    amount /= STEP;
    unit += 1;
    // 999.5 because it would be rounded to 1000, which has four digits.
  } while (Math.abs(amount) >= FOUR_DIGITS - 0.5 && unit < UNITS.length - 1);
  return `${rounded(amount, Math.abs(amount) < 9.995 ? 2 : Math.abs(amount) < 99.95 ? 1 : 0)} ${UNITS[unit]}`;
};

/** Return `+16.0 MiB` or `−512 B`, with its sign. */
export const signedBytes = (/** @type {number} */ change) => (change > 0 ? "+" : "−") + humanBytes(Math.abs(change));

/** Return the smallest of 1, 2, 5, 10, 20, … (or of their tenths and hundredths) that is at least `least`. */
const roundStep = (/** @type {number} */ least) => {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((factor) => factor * power >= least * 0.999);
  return /** @type {number} */ (factor) * power;
};

/** Return round numbers of a binary unit for the ticks of an axis up to `limit` bytes; the last one may exceed it. */
export const byteTicks = (/** @type {number} */ limit) => {
  let unit = 0;
  while (limit >= STEP ** (unit + 1)) unit += 1;
  const unitBytes = STEP ** unit;
  const step = roundStep(Math.max(limit / TICKS, 1) / unitBytes);
  const count = Math.floor(limit / unitBytes / step) + 1;
  const ticks = Array.from({ length: count + 1 }, (_, number) => Math.round(number * step * unitBytes));
  return { ticks, unit_bytes: unitBytes, unit: UNITS[unit] };
};

/** Return round numbers of a binary unit between `low` and `high` bytes, in the unit of their distance. */
export const windowTicks = (/** @type {number} */ low, /** @type {number} */ high) => {
  const { ticks, unit_bytes, unit } = byteTicks(high - low);
  const step = Math.max(1, ticks[1] - ticks[0]), start = Math.ceil(low / step), end = Math.floor(high / step);
  return { ticks: Array.from({ length: end - start + 1 }, (_, number) => (start + number) * step), unit_bytes, unit };
};
