// The view of the value, allocation or instruction that the address asks for, as `#v12`, in the place of all else: that
// of the page or, where the page has none, one that is made from the data of the module.
import { counted, humanBytes, signedBytes } from "./bytes.js";
import { allocationLink, bytes, chip, columnsOf, instructionLink, origin, rowOf, valueLink } from "./cells.js";
import { loadTimeline, loadValues } from "./data.js";
import { make, shape } from "./dom.js";
import { fill } from "./hrefs.js";
import { authorName, lastUse, lookOf, plainShape, shortName } from "./names.js";
import * as State from "./state.js";
import { peakMoment, residentBytes } from "./steps.js";
import { groupSource } from "./table-rows.js";
import { lookOfGroup } from "./value-groups.js";

/** @typedef {(Node | string)[]} Content */

const ASKED = /^([vai])(\d[\w-]*)$/;
const MOST_READS = 3, MOST_NAMED = 10, MOST_ROWS = 150, MOST_BLOCKS = 60, HEIGHT = 160, CURVE = 100;

/** Return links in a row, the first `most` of them open.
 * @template Item
 * @type {<Item>(items: Item[], link: (item: Item) => Node | string, most?: number) => Content} */
const listed = (items, link, most = MOST_NAMED) => {
  const more = items.slice(most), row = (/** @type {typeof items} */ some) => some.flatMap((item, place) => [place ? ", " : "", link(item)]);
  if (!more.length) return row(items);
  const rest = make("details", {}, [make("summary", {}, [`and ${counted(more.length)} more`]), ...row(more)]);
  return [...row(items.slice(0, most)), " ", rest];
};

/** Return a view: a title with XLA's name, an amount with words beside it, pictures and tables, and facts, of which those
 * without content are left out.
 * @type {(name: string, title: string, size: Node | string, beside: Content, parts: Content, facts: [string, Content][]) => HTMLElement} */
const view = (name, title, size, beside, parts, facts) => make("section", { class: "own", "data-name": name }, [
  make("h2", {}, [title]),
  ...(title.toLowerCase() === name ? [] : [make("span", { class: "xla" }, [name])]),
  make("p", { class: "headline" }, [make("strong", { class: "figure" }, [size]), ...beside]),
  ...parts,
  make("dl", { class: "about" }, facts.filter(([, content]) => content.length)
    .flatMap(([name, content]) => [make("dt", {}, [name]), make("dd", {}, content)]))
]);

/** Return a link to a part of the packing map. */
const mapLink = (/** @type {Values} */ { hrefs }, /** @type {string} */ part) =>
  make("a", { href: fill(hrefs.map, { part }) }, ["Show on the packing map"]);

const pill = (/** @type {string} */ words) => make("span", { class: "pill" }, [words]);

/** Return the table of some values in sections, with the columns of the table of all; nothing for none.
 * @type {(values: Values, sections: [string, number[]][], moments: number, label: string, most?: number) => Content} */
const tableOf = (values, sections, moments, label, most = MOST_NAMED) => {
  const model = /** @type {HTMLTableElement} */ (document.querySelector('table[data-whole="values"]')), columns = columnsOf(model);
  const wide = { colspan: String(columns.length) };
  const shown = sections.filter(([, numbers]) => numbers.length).map(([heading, numbers]) => {
    const wanted = new Set(numbers);
    return { heading, source: { ...groupSource(values, (number) => wanted.has(number)), moments } };
  });
  // All sections have one scale.
  const largest = Math.max(1, ...shown.map(({ source }) => source.rows[0].size));
  const bodies = shown.map(({ heading, source }) => {
    source.drawn.bar = (group) => ({ width: group.size / largest, look: lookOfGroup(values, group) });
    const more = source.rows.length - most;
    return make("tbody", {}, [
      ...(heading ? [make("tr", { class: "section" }, [make("th", { ...wide, scope: "rowgroup" }, [heading, make("small", {}, [` ${humanBytes(source.rows.reduce((sum, { size }) => sum + size, 0))}`])])])] : []),
      ...source.rows.slice(0, most).map((row) => rowOf(values, source, columns, row)),
      ...(more > 0 ? [make("tr", { class: "section" }, [make("td", wide, [`and ${counted(more)} more rows`])])] : [])
    ]);
  });
  const head = /** @type {HTMLElement} */ (model.tHead?.cloneNode(true));
  head.querySelectorAll("button").forEach((button) => button.replaceWith(button.textContent ?? ""));
  const table = make("table", { class: "drawn groups peak-groups", "aria-label": label }, [head, ...bodies]);
  return bodies.length ? [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, [table])] : [];
};

/** Return a drawing in the width of the page, `width` by `height` of what its shapes are in.
 * @type {(label: string, width: number, height: number) => SVGElement} */
const drawing = (label, width, height) => shape("svg", {
  viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", height: HEIGHT, width: "100%", role: "img", "aria-label": label
});

/** Return the values that had the bytes of one before it, and those that have them after it.
 * @type {(values: Values, number: number) => {before: number[], after: number[]}} */
const neighbours = ({ allocation, offset, size, first, last, unusualBuffer }, number) => {
  const low = offset[number], high = low + size[number];
  const bufferOf = (/** @type {number} */ one) => unusualBuffer[one] ?? one;
  const sharing = [...allocation.keys()].filter((other) => allocation[other] === allocation[number] && first[other] >= 0 &&
    bufferOf(other) !== bufferOf(number) && offset[other] < high && offset[other] + size[other] > low);
  const earlier = sharing.filter((other) => last[other] < first[number]), later = sharing.filter((other) => first[other] > last[number]);
  const end = earlier.reduce((most, other) => Math.max(most, last[other]), -1);
  const start = later.reduce((least, other) => Math.min(least, first[other]), Infinity);
  return { before: earlier.filter((other) => last[other] === end), after: later.filter((other) => first[other] === start) };
};

/** @type {(values: Values, timeline: Timeline, id: string) => HTMLElement | null} */
const valueView = (values, { names, spaces }, id) => {
  const number = values.id.indexOf(id);
  if (number < 0) return null;
  const name = values.name[number] + values.index[number], size = values.size[number], padding = values.padding[number];
  const first = values.first[number], last = values.last[number], low = values.offset[number];
  const at = (/** @type {number} */ moment) => instructionLink(moment, `${counted(moment)} ${names[moment]}`);
  const color = values.allocations.color[values.allocation[number]], space = spaces[color];
  const buffer = values.unusualBuffer[number] ?? number;
  const same = Object.keys(values.unusualBuffer).map(Number).filter((other) => values.unusualBuffer[other] === buffer);
  const { before, after } = first < 0 ? { before: [], after: [] } : neighbours(values, number);
  const link = (/** @type {number} */ other) => valueLink(values, other);
  return view(name, shortName(values, number), bytes(size), [
    pill(space && first >= 0 && first <= peakMoment(space) && peakMoment(space) <= last ? `At the peak of ${values.spaces[color]}` : `Not at the peak of ${values.spaces[color]}`),
    make("code", {}, [plainShape(values.shapes[values.shape[number]])])
  ], space && first >= 0 ? [curve(space, names.length, first, last, lookOf(values, number))] : [], [
    ["Live", first < 0 ? [] : [`from instruction ${counted(first)} to ${counted(last)}`]],
    ["Written by", first < 0 ? [] : [at(first)]],
    ["Read by", listed(values.reads[number], at, MOST_READS)],
    ["Comes from", origin(values, number)],
    ["Where it lies", [
      `${humanBytes(low)} to ${humanBytes(low + size)} of `, allocationLink(values, values.allocation[number]), ". ",
      mapLink(values, `fit=${id}`)
    ]],
    ["Same buffer", same.length ? listed([buffer, ...same].filter((other) => other !== number), link) : []],
    ["There before it", listed(before, link)],
    ["There after it", listed(after, link)],
    ["Size", [`${values.shapes[values.shape[number]]}: ${counted(size)} bytes, ${padding ? `${counted(padding)} of padding` : "no padding"}`]],
    ["In XLA’s words", [`${values.opcodes[values.opcode[number]]}, id ${values.id[number]}`]]
  ]);
};

/** Return what is resident in a space over the program: below it a life in its color or, without a look, across it the
 * first instruction.
 * @type {(space: SpaceSteps, moments: number, first: number, last: number, look?: string) => HTMLElement} */
const curve = (space, moments, first, last, look) => {
  const { static: held, temp } = space, most = residentBytes(space, peakMoment(space)), y = (/** @type {number} */ amount) => CURVE * (1.04 - amount / Math.max(most, 1));
  const steps = temp.moments.map((moment, place) => `H${moment}V${y(held + temp.amounts[place]).toFixed(2)}`);
  const svg = drawing("What is resident over the program", moments, CURVE * 1.25), marked = look ? peakMoment(space) : first;
  const place = look ? { y: CURVE * 1.1, height: CURVE * 0.12, class: `fill-${look}` } : { y: 0, height: CURVE * 1.04, class: "fill-now" };
  svg.setAttribute("class", "resident");
  svg.append(
    shape("path", { d: `M0 ${y(0)}V${y(held)}${steps.join("")}H${moments}V${y(0)}z` }),
    shape("rect", { x: first, width: Math.max(last + 1 - first, moments / 600), ...place })
  );
  const words = (/** @type {string} */ kind, /** @type {string} */ style, /** @type {string} */ text) => make("span", { class: kind, style }, [text]);
  return make("figure", {}, [make("div", { class: "drawing" }, [
    svg, words("level", "bottom:96.8%", humanBytes(most)), words("moment", "left:0", "0"), words("moment", "right:0;transform:none", counted(moments)),
    words(`name ${2 * marked > moments ? "right" : "left"}`, `left:${100 * marked / moments}%`, `${look ? "peak" : "instruction"} ${counted(marked)}`)
  ])]);
};

/** Return the largest values of an allocation over address and time.
 * @type {(values: Values, numbers: number[], height: number, moments: number) => SVGElement} */
const picture = (values, numbers, height, moments) => {
  const svg = drawing("Packing", moments, height);
  svg.append(...numbers.slice(0, MOST_BLOCKS).map((number) => shape("a", { href: valueLink(values, number).href, class: `fill-${lookOf(values, number)}` }, [
    shape("title", {}, [`${authorName(values, number)}, ${humanBytes(values.size[number])}`]),
    shape("rect", {
      x: values.first[number], width: values.last[number] + 1 - values.first[number],
      y: height - values.offset[number] - values.size[number], height: values.size[number]
    })
  ])));
  return svg;
};

/** @type {(values: Values, timeline: Timeline, id: string) => HTMLElement | null} */
const allocationView = (values, { names }, id) => {
  const { allocations } = values, number = allocations.id.indexOf(id);
  if (number < 0) return null;
  const held = [...values.allocation.keys()].filter((value) => values.allocation[value] === number);
  const live = held.filter((value) => values.first[value] >= 0).sort((one, other) => values.size[other] - values.size[one]);
  const name = `allocation ${allocations.index[number]}`, size = allocations.size[number], color = allocations.color[number];
  return view(name, `A${name.slice(1)}`, bytes(size), [
    pill(held.length === 1 ? "1 value" : `Reused by ${counted(held.length)} values`),
    chip(values.classes[allocations.class[number]], values.kinds[allocations.kind[number]]),
    make("span", {}, [`in ${color} · ${values.spaces[color]}`])
  ], [
    ...(live.length > 1 ? [make("figure", { class: "map" }, [picture(values, live, size, names.length)])] : []),
    ...tableOf(values, [["", held]], names.length, "Values", MOST_ROWS)
  ], [
    ["Size", [`${counted(size)} bytes. `, mapLink(values, `space=${color}&allocation=${number}`)]],
    ["Values", [make("a", { href: `#view=values&allocation=${number}` }, ["All, to sort and to filter"])]]
  ]);
};

/** @type {(values: Values, timeline: Timeline, id: string) => HTMLElement | null} */
const instructionView = (values, { names, spaces, recomputes }, id) => {
  const moment = Number(id), name = names[moment];
  if (!name) return null;
  const all = [...values.name.keys()], made = all.filter((number) => values.name[number] === name);
  const used = all.filter((number) => values.reads[number].includes(moment));
  const [freed, reads] = [true, false].map((isLast) => used.filter((number) => (lastUse(values, number) === moment) === isLast));
  const main = Object.keys(spaces)[0], space = spaces[main], again = recomputes[moment];
  const resident = (/** @type {number} */ at) => space ? residentBytes(space, at) : 0;
  const change = resident(moment) - (moment ? resident(moment - 1) : 0);
  const neighbour = (/** @type {number} */ at, /** @type {string} */ rel) => names[at]
    ? [make("a", { href: `#i${at}`, rel }, [rel === "prev" ? `‹ ${counted(at)}` : `${counted(at)} ›`])] : [];
  const known = made.find((number) => values.index[number] === "") ?? made[0];
  return view(name, known === undefined ? name : shortName(values, known), change ? signedBytes(change) : "No change", [
    pill(`${humanBytes(resident(moment))} resident in ${main ? values.spaces[Number(main)] : "memory"}`),
    make("span", {}, [`at instruction ${counted(moment)}`]),
    ...neighbour(moment - 1, "prev"), ...neighbour(moment + 1, "next")
  ], [
    ...(space ? [curve(space, names.length, moment, moment)] : []),
    ...tableOf(values, [["Writes", made], ["Reads", reads], ["Reads for the last time", freed]], names.length, "What it writes and reads")
  ], [
    ["Operation or argument", known === undefined ? [] : origin(values, known)],
    ["Recomputes", again ? [instructionLink(names.indexOf(again), again)] : []],
    ["See also", [
      make("a", { href: `#view=values&moment=${moment}` }, ["values resident then"]), ", ",
      make("a", { href: `#view=instructions&moment=${moment}` }, ["the instructions from here on"])
    ]]
  ]);
};

const MAKERS = { v: valueView, a: allocationView, i: instructionView };

/** Start to follow the address. */
export const startOwnViews = () => {
  const main = document.querySelector("main"), crumb = document.querySelector('header.site [aria-current="page"]');
  if (!main?.querySelector(".back")) return;
  // Without scripts an address leads to a row: a browser would open its table and scroll to it first.
  main.querySelectorAll("table[data-whole] :is(tr, i)[id]").forEach((row) => row.removeAttribute("id"));
  const title = document.title, place = crumb?.textContent ?? "";
  let shown = /** @type {HTMLElement | null} */ (null), made = shown, tablesAt = 0;

  const open = (/** @type {HTMLElement | null} */ found) => {
    if (found && !shown) tablesAt = scrollY;
    const isBack = shown && !found;
    shown?.classList.remove("open");
    if (made && made !== found) made.remove();
    shown = found;
    found?.classList.add("open");
    main.dataset.own = found ? "yes" : "";
    document.title = found ? `${found.dataset.name} · ${title}` : title;
    if (crumb) crumb.textContent = found?.querySelector("h2")?.textContent ?? place;
    if (found || isBack) scrollTo(0, found ? 0 : tablesAt);
  };

  const show = async () => {
    const hash = location.hash.slice(1), asked = ASKED.exec(hash);
    if (!asked) return open(null);
    const own = /** @type {HTMLElement | null} */ (main.querySelector(`section.own[id="${hash}"]`));
    if (own) return open(own);
    const [values, timeline] = await Promise.all([loadValues(), loadTimeline()]);
    // Another may have been asked for meanwhile.
    if (location.hash.slice(1) !== hash) return;
    const found = MAKERS[/** @type {"v" | "a" | "i"} */ (asked[1])](values, timeline, asked[2]);
    open(found);
    if (found) main.append(made = found);
  };
  addEventListener("hashchange", show);
  State.onChange(show);
  show();
};
