// The rows of a long table from the data of its module: which of them pass the filters, and their order. Sorting and
// filtering cover all rows, not only those on the page that is open.
import { isResidentAt, ownedAt } from "./composition.js";
import { highlightTest } from "./map-words.js";
import { authorName, classOf, lastUse } from "./names.js";
import { amountAt, peakMoment, residentBytes } from "./steps.js";
import { grouping, lookOfGroup, stretchesOf } from "./value-groups.js";
import { holdsAll, wordsOf } from "./words.js";

/** @typedef {number | string} Key
 * @typedef {import("./value-groups.js").Group} Group
 * @typedef {Record<string, string>} Filters
 * @typedef {{noun: string, all: number, rows: any[], filter: (filters: Filters) => any[], count: (rows: any[]) => number,
 *   keys: Record<string, (row: any) => Key>, drawn: Record<string, (row: any) => unknown>,
 *   size?: (row: any) => number, space?: (row: any) => number, moments?: number}} Source
 * The rows of a table: each column has a key that sorts it, and what its cells are drawn from where that is not the key.
 * `count` says for how many of `all` things some rows stand, and lives are drawn over `moments`. */

/** The columns of which a reader chooses an entry, and those in which words are looked for. */
export const CHOICES = ["space", "class", "opcode", "allocation"];
export const TEXTS = ["value", "scope", "source", "shape"];

/** The filters that every table of a module's values offers. */
export const FILTERS = ["words", "moment", "padded", ...CHOICES, ...TEXTS];

/** Return a test for values that pass every filter. @type {(values: Values, filters: Filters) => (number: number) => boolean} */
export const valueTest = (values, filters) => {
  const tests = /** @type {((number: number) => boolean)[]} */ ([]);
  const { space, class: memoryClass, opcode, allocation, moment, padded } = filters;
  if (space) tests.push((number) => values.allocations.color[values.allocation[number]] === Number(space));
  if (memoryClass) tests.push((number) => classOf(values, number) === memoryClass);
  if (opcode) tests.push((number) => values.opcodes[values.opcode[number]] === opcode);
  if (allocation) tests.push((number) => values.allocation[number] === Number(allocation));
  if (padded) tests.push((number) => values.padding[number] > 0);
  if (moment) tests.push((number) => isResidentAt(values, number, Number(moment)));
  if (filters.words) tests.push(highlightTest(values, filters.words));
  const contains = (/** @type {string | undefined} */ query, /** @type {(number: number) => string} */ text) => {
    const words = wordsOf(query ?? "");
    if (words.length) tests.push((number) => holdsAll(text(number).toLowerCase(), words));
  };
  contains(filters.value, (number) => values.name[number] + values.index[number]);
  contains(filters.scope, (number) => authorName(values, number));
  contains(filters.source, (number) => values.sources[values.source[number]]);
  contains(filters.shape, (number) => values.shapes[values.shape[number]]);
  return (number) => tests.every((test) => test(number));
};

/** Return a text whose order is natural: `fusion.9` is before `fusion.10`. */
const naturalKey = (/** @type {string} */ text) => text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));

/** Return rows in the order of a key; equal rows keep theirs. Texts compare in natural order.
 * @type {(rows: number[], key: (row: number) => Key, descending: boolean) => number[]} */
export const ordered = (rows, key, descending) => {
  const keys = rows.map((row) => {
    const found = key(row);
    return typeof found === "string" ? naturalKey(found) : found;
  });
  const sign = descending ? -1 : 1;
  const places = [...rows.keys()].sort((one, other) =>
    keys[one] < keys[other] ? -sign : keys[one] > keys[other] ? sign : one - other);
  return places.map((place) => rows[place]);
};

/** Return the dense bytes of a value, or -Infinity where its type is not known. */
export const denseBytes = (/** @type {Values} */ values, /** @type {number} */ number) => {
  const usual = values.size[number] - values.padding[number];
  const known = values.unusualDense[number];
  return known === undefined ? usual : known ?? -Infinity;
};

/** Return what sorts each column of single values, which a file has all of.
 * @type {(values: Values) => Record<string, (number: number) => Key>} */
export const valueKeys = (values) => ({
  value: (number) => values.name[number] + values.index[number],
  size: (number) => values.size[number],
  space: (number) => values.spaces[values.allocations.color[values.allocation[number]]],
  allocation: (number) => values.allocations.index[values.allocation[number]],
  offset: (number) => values.offset[number],
  dense: (number) => denseBytes(values, number),
  padding: (number) => values.padding[number],
  from: (number) => values.first[number],
  to: (number) => values.last[number],
  shape: (number) => values.shapes[values.shape[number]],
  origin: (number) => `${authorName(values, number)} ${values.sources[values.source[number]]}`.trim(),
  opcode: (number) => values.opcodes[values.opcode[number]]
});

/** Return the values of a module, or those that pass a test, in groups, the largest first. At a moment, every byte
 * counts once.
 * @type {(values: Values, test?: (number: number) => boolean, bytes?: (number: number) => number) => Source} */
export const groupSource = (values, test = () => true, bytes) => {
  const groups = grouping(values), rows = groups(test, bytes), keys = valueKeys(values);
  const first = (/** @type {string} */ key) => (/** @type {Group} */ { buffers }) => keys[key](buffers[0]);
  const padding = (/** @type {Group} */ { buffers }) => buffers.reduce((sum, number) => sum + values.padding[number], 0);
  const part = (/** @type {Group} */ group) => ({ width: group.size / Math.max(rows[0].size, 1), look: lookOfGroup(values, group) });
  return {
    noun: "values",
    all: rows.reduce((sum, { numbers }) => sum + numbers.length, 0),
    rows,
    filter: ({ moment, ...filters }) => {
      if (!moment && !Object.values(filters).some(Boolean)) return rows;
      if (!moment) return groups(valueTest(values, filters));
      const owned = ownedAt(values, Number(moment)), test = valueTest(values, filters);
      return groups((number) => owned.has(number) && test(number), (number) => owned.get(number) ?? 0);
    },
    count: (groups) => groups.reduce((sum, { numbers }) => sum + numbers.length, 0),
    size: ({ size }) => size,
    space: ({ numbers }) => values.allocations.color[values.allocation[numbers[0]]],
    keys: {
      size: ({ size }) => size,
      bar: ({ size }) => size,
      thing: first("origin"),
      shape: first("shape"),
      life: (group) => stretchesOf(values, group)[0]?.[0] ?? -1,
      padding,
      members: ({ numbers }) => numbers.length
    },
    drawn: {
      bar: part,
      thing: ({ buffers }) => buffers[0],
      shape: ({ buffers }) => ({ count: buffers.length, number: buffers[0] }),
      life: (group) => ({ stretches: stretchesOf(values, group), look: lookOfGroup(values, group) }),
      members: ({ numbers }) => numbers
    }
  };
};

/** Return the allocations of a module, largest first. Opcode, scope, source and shape ask for a value that has them.
 * @type {(values: Values) => Source} */
export const allocationSource = (values) => {
  const { allocations } = values;
  const count = new Array(allocations.index.length).fill(0);
  const largest = /** @type {number[]} */ ([]);
  values.allocation.forEach((allocation, number) => {
    count[allocation] += 1;
    if (!(values.size[number] <= values.size[largest[allocation]])) largest[allocation] = number;
  });
  const holds = (/** @type {number} */ row) => largest[row];
  const rows = [...allocations.index.keys()].sort((one, other) => allocations.size[other] - allocations.size[one] || one - other);
  const filter = (/** @type {Filters} */ filters) => {
    const { space, class: memoryClass, ...rest } = filters;
    const isAsked = Object.values(rest).some(Boolean), test = valueTest(values, rest);
    const holding = new Set(isAsked ? values.allocation.filter((_, number) => test(number)) : []);
    return rows.filter((row) =>
      (!space || allocations.color[row] === Number(space)) &&
      (!memoryClass || values.classes[allocations.class[row]] === memoryClass) &&
      (!isAsked || holding.has(row)));
  };
  return {
    noun: "allocations",
    all: rows.length,
    rows,
    filter,
    count: (some) => some.length,
    size: (row) => allocations.size[row],
    space: (row) => allocations.color[row],
    drawn: {
      bar: (row) => ({ width: allocations.size[row] / Math.max(allocations.size[rows[0]], 1), look: values.classes[allocations.class[row]] }),
      allocation: (row) => row,
      thing: holds,
      kind: (row) => [values.classes[allocations.class[row]], values.kinds[allocations.kind[row]]]
    },
    keys: {
      allocation: (row) => allocations.index[row],
      thing: (row) => { const number = holds(row); return number === undefined ? "" : authorName(values, number); },
      kind: (row) => values.kinds[allocations.kind[row]],
      space: (row) => `${allocations.color[row]} · ${values.spaces[allocations.color[row]]}`,
      size: (row) => allocations.size[row],
      bar: (row) => allocations.size[row],
      values: (row) => count[row]
    }
  };
};

/** Return numbers grouped by a key, in order of the values' ids; a negative key is left out.
 * @type {(values: Values, key: (number: number) => number) => Map<number, number[]>} */
const groupedBy = (values, key) => {
  const groups = /** @type {Map<number, number[]>} */ (new Map());
  values.name.forEach((_, number) => {
    const at = key(number), group = groups.get(at);
    if (at < 0) return;
    if (group) group.push(number); else groups.set(at, [number]);
  });
  const id = (/** @type {number} */ number) => parseInt(values.id[number], 10);
  groups.forEach((group) => group.sort((one, other) => id(one) - id(other)));
  return groups;
};

/** Return the moments of the schedule; a filter asks for a value that is defined there and passes it. Bars and changes
 * are those of the `main` memory space.
 * @type {(values: Values, timeline: Timeline, main: string) => Source} */
export const scheduleSource = (values, timeline, main) => {
  const rows = [...timeline.names.keys()].filter((moment) => timeline.names[moment] !== "");
  const momentOf = new Map(rows.map((moment) => [timeline.names[moment], moment]));
  const defined = groupedBy(values, (number) => momentOf.get(values.name[number]) ?? -1);
  const lastUses = groupedBy(values, (number) => lastUse(values, number));
  const first = (/** @type {number} */ moment) => defined.get(moment)?.[0];
  const whole = (/** @type {number} */ moment) => {
    const numbers = defined.get(moment);
    return numbers?.find((number) => values.index[number] === "") ?? numbers?.[0];
  };
  const named = (/** @type {number[] | undefined} */ numbers) =>
    (numbers ?? []).map((number) => values.name[number] + values.index[number]).join(" ");
  const filter = (/** @type {Filters} */ filters) => {
    const { moment: from, ...rest } = filters, later = from ? rows.filter((moment) => moment >= Number(from)) : rows;
    if (!Object.values(rest).some(Boolean)) return later;
    const test = valueTest(values, rest);
    return later.filter((moment) => defined.get(moment)?.some(test));
  };
  const space = timeline.spaces[main], resident = (/** @type {number} */ moment) => space ? residentBytes(space, moment) : 0;
  const peak = space ? resident(peakMoment(space)) : 1;
  const bytes = Object.entries(timeline.spaces).flatMap(([color, space]) => [
    [`resident-${color}`, (/** @type {number} */ moment) => residentBytes(space, moment)],
    [`live-${color}`, (/** @type {number} */ moment) => amountAt(space.live, moment)]
  ]);
  return {
    noun: "instructions",
    all: rows.length,
    rows,
    filter,
    count: (some) => some.length,
    drawn: {
      bar: (moment) => ({ width: resident(moment) / Math.max(peak, 1), look: "other" }),
      step: (moment) => {
        const again = timeline.recomputes[moment];
        return [timeline.names[moment], whole(moment), again, again && whole(momentOf.get(again) ?? -1)];
      },
      "last-use": (moment) => lastUses.get(moment) ?? []
    },
    keys: {
      moment: (moment) => moment,
      bar: resident,
      change: (moment) => resident(moment) - (moment ? resident(moment - 1) : 0),
      step: (moment) => timeline.names[moment],
      opcode: (moment) => { const number = first(moment); return number === undefined ? "" : values.opcodes[values.opcode[number]]; },
      defines: (moment) => named(defined.get(moment)),
      "last-use": (moment) => named(lastUses.get(moment)),
      ...Object.fromEntries(bytes)
    }
  };
};

/** Return a table as comma-separated text; unknown amounts are empty. @type {(heads: string[], rows: Key[][]) => string} */
export const csv = (heads, rows) => {
  const cell = (/** @type {Key} */ key) => {
    if (typeof key === "number") return Number.isFinite(key) ? String(key) : "";
    // A text that begins like a formula would be run by spreadsheets.
    const text = /^[=+\-@\t\r]/.test(key) ? `'${key}` : key;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [heads, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
};
