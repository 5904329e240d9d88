// Finds what matches a query, among thousands of names, within a frame: plain `includes` on lower-case text.
// Each word of the query must be found in one of an entry's fields. A name counts more than a scope, and among
// equals the larger entry comes first.
import { humanBytes } from "./bytes.js";
import { allocationHref, fill, valueHref } from "./hrefs.js";
import { wordsOf } from "./words.js";

/** @typedef {(entry: number) => boolean} Matcher
 * @typedef {{label: string, text: (entry: number) => string, matcher: (word: string) => Matcher}} Field
 * @typedef {{kind: string, names: string[], words: string[], sizes: number[], order: Uint32Array, fields: Field[],
 *   amount: (size: number) => string, href: (entry: number) => string}} Index
 * @typedef {{kind: string, name: string, reason: string, amount: string, href: string}} Result
 * @typedef {{source: Index, entry: number}} Match */

const MOST_RESULTS = 50, LONGEST_REASON = 120;
const NAMED = 0, BEGINS = 1, IN_NAME = 2, ELSEWHERE = 3;

const lower = (/** @type {string} */ text) => text.toLowerCase();

/** Make a field of words that repeat: each word of the table is looked up once.
 * @type {(label: string, table: string[], numbers: number[]) => Field} */
const tableField = (label, table, numbers) => {
  const words = table.map(lower);
  const matcher = (/** @type {string} */ word) => {
    const found = words.map((text) => text.includes(word));
    return (/** @type {number} */ entry) => found[numbers[entry]];
  };
  return { label, text: (entry) => table[numbers[entry]], matcher };
};

/** @type {(label: string, texts: string[]) => Field} */
const textField = (label, texts) => {
  const words = texts.map(lower);
  return { label, text: (entry) => texts[entry], matcher: (word) => (entry) => words[entry].includes(word) };
};

/** @type {(parts: Pick<Index, "kind" | "names" | "href"> & Partial<Index>) => Index} */
const index = ({ kind, names, sizes = names.map(() => 0), fields = [], amount = () => "", href }) => {
  const order = Uint32Array.from(sizes.keys()).sort((one, other) => sizes[other] - sizes[one] || one - other);
  return { kind, names, words: names.map(lower), sizes, order, fields, amount, href };
};

/** Return the rank of an entry, or -1 if a word is in none of its fields.
 * @type {(name: string, words: string[], matchers: Matcher[][], entry: number) => number} */
const rank = (name, words, matchers, entry) => {
  const isFound = (/** @type {string} */ word, /** @type {number} */ number) =>
    name.includes(word) || matchers[number].some((matches) => matches(entry));
  if (!words.every(isFound)) return -1;
  if (name === words.join(" ")) return NAMED;
  if (name.startsWith(words[0])) return BEGINS;
  return name.includes(words[0]) ? IN_NAME : ELSEWHERE;
};

/** Add the matches of one index to `best`, a list of matches for each rank, and return their number.
 * @type {(source: Index, words: string[], best: Match[][]) => number} */
const collect = (source, words, best) => {
  const matchers = words.map((word) => source.fields.map((field) => field.matcher(word)));
  let total = 0;
  source.order.forEach((entry) => {
    const place = rank(source.words[entry], words, matchers, entry);
    if (place < 0) return;
    total += 1;
    if (best[place].length < MOST_RESULTS) best[place].push({ source, entry });
  });
  return total;
};

/** Return the field in which a word was found that is not in the name: it explains the result. */
const reason = (/** @type {Match} */ { source, entry }, /** @type {string[]} */ words) => {
  const word = words.find((one) => !source.words[entry].includes(one));
  if (word === undefined) return source.fields.length ? source.fields[0].text(entry) : "";
  const field = source.fields.find((one) => lower(one.text(entry)).includes(word));
  return field ? (field.label && `${field.label} `) + field.text(entry) : "";
};

/** Return a text that is too long with its end, because the last levels of a scope tell the most. */
const ending = (/** @type {string} */ text) => text.length <= LONGEST_REASON ? text : `…${text.slice(1 - LONGEST_REASON)}`;

/** Return how many entries match and the best 50 of them.
 * @type {(indexes: Index[], query: string) => {total: number, results: Result[]}} */
export const find = (indexes, query) => {
  const words = wordsOf(query);
  if (!words.length) return { total: 0, results: [] };
  /** @type {Match[][]} */
  const best = [[], [], [], []];
  const total = indexes.reduce((sum, source) => sum + collect(source, words, best), 0);
  const results = best.flat().slice(0, MOST_RESULTS).map((match) => {
    const { source, entry } = match;
    const { kind, names, sizes, amount, href } = source;
    return { kind, name: names[entry], reason: ending(reason(match, words)), amount: amount(sizes[entry]), href: href(entry) };
  });
  return { total, results };
};

/** Return an index of all modules; `root` is the way to the site's root. */
export const ofModules = (/** @type {Modules} */ modules, /** @type {string} */ root) => index({
  kind: "module", names: modules.name, sizes: modules.size, amount: humanBytes,
  fields: [textField("", modules.path), textField("backend", modules.backend)],
  href: (entry) => root + modules.href[entry]
});

/** Return an index of a module's values. */
export const ofValues = (/** @type {Values} */ values) => index({
  kind: "value", names: values.name.map((name, number) => name + values.index[number]), sizes: values.size, amount: humanBytes,
  fields: [
    tableField("", values.opcodes, values.opcode),
    tableField("scope", values.scopes, values.scope),
    tableField("source", values.sources, values.source),
    tableField("shape", values.shapes, values.shape)
  ],
  href: (entry) => valueHref(values, entry)
});

/** Return an index of the source lines with bytes of the peak, by their names without folders. Each leads to its place
 * in its file or, where the file has no page, to its values. */
export const ofLines = (/** @type {Values} */ { lines, hrefs }) => index({
  kind: "line", names: lines.line.map((line) => line.replace(/^.*\//, "")), sizes: lines.size, amount: humanBytes,
  fields: [textField("", lines.line)],
  href: (entry) => {
    const line = lines.line[entry], page = lines.page[entry];
    return page
      ? fill(hrefs.line, { page, number: line.replace(/^.*:/, "") })
      : fill(hrefs.filtered, { name: "source", value: encodeURIComponent(line) });
  }
});

/** Return an index of the instructions that define no value. */
export const ofInstructions = (/** @type {Instructions} */ instructions) => index({
  kind: "instruction", names: instructions.name,
  href: (entry) => fill(instructions.hrefs.row, { moment: instructions.moment[entry] })
});

/** Return an index of a module's allocations. */
export const ofAllocations = (/** @type {Values} */ { allocations, classes, kinds, spaces, hrefs }) => index({
  kind: "allocation", names: allocations.index.map((number) => `allocation ${number}`), sizes: allocations.size, amount: humanBytes,
  fields: [
    tableField("", kinds, allocations.kind),
    tableField("class", classes, allocations.class),
    textField("space", allocations.color.map((color) => `${color} · ${spaces[color]}`))
  ],
  href: (entry) => allocationHref({ hrefs, allocations }, entry)
});

/** Return indexes of what many values have in common: opcodes, shapes and source files. Each leads to its values.
 * @type {(values: Values) => Index[]} */
export const ofGroups = (values) => {
  const groups = (/** @type {string} */ kind, /** @type {string[]} */ table, /** @type {number[]} */ column) => {
    const counts = /** @type {Map<string, number>} */ (new Map());
    column.forEach((word) => counts.set(table[word], (counts.get(table[word]) ?? 0) + 1));
    counts.delete("");
    const names = [...counts.keys()];
    return index({
      kind, names, sizes: [...counts.values()],
      amount: (count) => count === 1 ? "1 value" : `${count.toLocaleString("en")} values`,
      href: (entry) => fill(values.hrefs.filtered, { name: kind, value: encodeURIComponent(names[entry]) })
    });
  };
  const files = values.sources.map((source) => source.replace(/:\d+$/, ""));
  return [
    groups("opcode", values.opcodes, values.opcode),
    groups("source", files, values.source),
    groups("shape", values.shapes.map((shape) => shape.replace(/…$/, "")), values.shape)
  ];
};

/** Return an index of pages or of sections, by their names.
 * @type {(kind: string, pages: {name: string, href: string, about: string}[]) => Index} */
export const ofPages = (kind, pages) => index({
  kind, names: pages.map(({ name }) => name),
  fields: [textField("", pages.map(({ about }) => about))],
  href: (entry) => pages[entry].href
});
