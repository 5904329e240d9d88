// The view of the value, allocation or instruction that the address asks for, as `#v12`, in the place of all else: that
// of the page or, where the page has none, one that is made from the data of the module.
import { counted, humanBytes } from "./bytes.js";
import { allocationLink, bytes, chip, columnsOf, instructionLink, origin, rowOf, strip, valueLink } from "./cells.js";
import { loadTimeline, loadValues } from "./data.js";
import { make } from "./dom.js";
import { fill } from "./hrefs.js";
import { authorName, lastUse, lookOf, shortName } from "./names.js";
import * as State from "./state.js";
import { amountAt } from "./steps.js";
import { groupSource } from "./table-rows.js";

/** @typedef {(Node | string)[]} Content */

const ASKED = /^([vai])(\d[\w-]*)$/;
const MOST_READS = 3, MOST_NAMED = 10, MOST_ROWS = 150, MOST_BLOCKS = 60;
const HEIGHT = 240;

/**
 * Return links in a row, the first `most` of them open.
 * @template Item
 * @param {Item[]} items
 * @param {(item: Item) => Node | string} link
 * @param {number} [most]
 * @returns {Content}
 */
const listed = (items, link, most = MOST_NAMED) => {
  const row = (/** @type {Item[]} */ some) => some.flatMap((item, place) => [place ? ", " : "", link(item)]);
  const more = items.slice(most);
  if (!more.length) return row(items);
  const rest = make("details", {}, [make("summary", {}, [`and ${counted(more.length)} more`]), ...row(more)]);
  return [...row(items.slice(0, most)), " ", rest];
};

/**
 * Return a view: a title with XLA's name, an amount with words beside it, and facts, of which those without content are
 * left out.
 * @param {string} name
 * @param {string} title
 * @param {number} size
 * @param {Content} beside
 * @param {[string, Content][]} facts
 * @param {Content} [pictures]
 */
const view = (name, title, size, beside, facts, pictures = []) => make("section", { class: "own", "data-name": name }, [
  make("h2", {}, [title]),
  ...(title.toLowerCase() === name ? [] : [make("span", { class: "xla" }, [name])]),
  make("p", { class: "headline" }, [make("strong", { class: "figure" }, [bytes(size)]), ...beside]),
  ...pictures,
  make("dl", { class: "about" }, facts.filter(([, content]) => content.length)
    .flatMap(([name, content]) => [make("dt", {}, [name]), make("dd", {}, content)]))
]);

/**
 * Return a link to a part of the packing map.
 * @param {Values} values
 * @param {string} part
 */
const mapLink = ({ hrefs }, part) => make("a", { href: fill(hrefs.map, { part }) }, ["on the packing map"]);

const pill = (/** @type {string} */ words) => make("span", { class: "pill" }, [words]);

/**
 * Return the values that had the bytes of one before it, and those that have them after it.
 * @param {Values} values
 * @param {number} number
 */
const neighbours = ({ allocation, offset, size, first, last, unusualBuffer }, number) => {
  const low = offset[number], high = low + size[number];
  const bufferOf = (/** @type {number} */ one) => unusualBuffer[one] ?? one;
  const sharing = [...allocation.keys()].filter((other) => allocation[other] === allocation[number] && first[other] >= 0 &&
    bufferOf(other) !== bufferOf(number) && offset[other] < high && offset[other] + size[other] > low);
  const earlier = sharing.filter((other) => last[other] < first[number]), later = sharing.filter((other) => first[other] > last[number]);
  const end = Math.max(...earlier.map((other) => last[other])), start = Math.min(...later.map((other) => first[other]));
  return { before: earlier.filter((other) => last[other] === end), after: later.filter((other) => first[other] === start) };
};

/**
 * @param {Values} values
 * @param {Timeline} timeline
 * @param {string} id
 */
const valueView = (values, { names }, id) => {
  const number = values.id.indexOf(id);
  if (number < 0) return null;
  const name = values.name[number] + values.index[number], size = values.size[number], padding = values.padding[number];
  const first = values.first[number], last = values.last[number], low = values.offset[number];
  const at = (/** @type {number} */ moment) => instructionLink(moment, `${counted(moment)} ${names[moment]}`);
  const data = (/** @type {string} */ name) => /** @type {HTMLElement | null} */ (document.querySelector(`[data-${name}]`))?.dataset[name];
  // The peak that the page knows is that of the main memory space.
  const isMain = data("space") === String(values.allocations.color[values.allocation[number]]), peak = Number(data("peak") || NaN);
  const buffer = values.unusualBuffer[number] ?? number;
  const same = Object.keys(values.unusualBuffer).map(Number).filter((other) => values.unusualBuffer[other] === buffer);
  const { before, after } = first < 0 ? { before: [], after: [] } : neighbours(values, number);
  const link = (/** @type {number} */ other) => valueLink(values, other);
  const life = { stretches: /** @type {[number, number][]} */ ([[first, last]]), look: lookOf(values, number), moments: names.length };
  return view(name, shortName(values, number), size, [
    ...(!isMain || Number.isNaN(peak) || first < 0 ? [] : [pill(first <= peak && peak <= last ? "At the peak" : "Not at the peak")]),
    make("code", {}, [values.shapes[values.shape[number]]])
  ], [
    ["Operation or argument", origin(values, number)],
    ["Live", first < 0 ? [] : [strip(life), ` instructions ${counted(first)} to ${counted(last)}`]],
    ["Written by", first < 0 ? [] : [at(first)]],
    ["Read by", listed(values.reads[number], at, MOST_READS)],
    ["Where it lies", [`bytes ${counted(low)} to ${counted(low + size)} of `, allocationLink(values, values.allocation[number])]],
    ["Same buffer", same.length ? listed([buffer, ...same].filter((other) => other !== number), link) : []],
    ["Before", listed(before, link)],
    ["After", listed(after, link)],
    ["Size", [`${counted(size)} bytes, ${padding ? `${counted(padding)} of padding` : "no padding"}`]],
    ["Opcode", [values.opcodes[values.opcode[number]]]],
    ["Drawn", [mapLink(values, `fit=${id}`)]],
    ["In the dump", [`id ${values.id[number]}`]]
  ]);
};

/**
 * Return the largest values of an allocation over address and time.
 * @param {Values} values
 * @param {number[]} numbers
 * @param {number} height
 * @param {number} moments
 */
const picture = (values, numbers, height, moments) => {
  const name = "http://www.w3.org/2000/svg", svg = document.createElementNS(name, "svg");
  const set = (/** @type {Element} */ element, /** @type {Record<string, string | number>} */ attributes) =>
    Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, String(value)));
  set(svg, { viewBox: `0 0 ${moments} ${height}`, preserveAspectRatio: "none", height: HEIGHT, width: "100%", role: "img", "aria-label": "Packing" });
  numbers.slice(0, MOST_BLOCKS).forEach((number) => {
    const link = document.createElementNS(name, "a"), box = document.createElementNS(name, "rect"), title = document.createElementNS(name, "title");
    set(link, { href: valueLink(values, number).href, class: `fill-${lookOf(values, number)}` });
    set(box, {
      x: values.first[number], width: values.last[number] + 1 - values.first[number],
      y: height - values.offset[number] - values.size[number], height: values.size[number]
    });
    title.textContent = `${authorName(values, number)}, ${humanBytes(values.size[number])}`;
    link.append(title, box);
    svg.append(link);
  });
  return svg;
};

/**
 * @param {Values} values
 * @param {Timeline} timeline
 * @param {string} id
 */
const allocationView = (values, { names }, id) => {
  const { allocations } = values, number = allocations.id.indexOf(id);
  if (number < 0) return null;
  const held = [...values.allocation.keys()].filter((value) => values.allocation[value] === number);
  const live = held.filter((value) => values.first[value] >= 0).sort((one, other) => values.size[other] - values.size[one]);
  const name = `allocation ${allocations.index[number]}`, size = allocations.size[number], color = allocations.color[number];
  const model = /** @type {HTMLTableElement} */ (document.querySelector('table[data-whole="values"]'));
  const source = { ...groupSource(values, (value) => values.allocation[value] === number), moments: names.length }, columns = columnsOf(model);
  const table = make("table", { class: model.className, "aria-label": `Values of ${name}` }, [
    /** @type {Node} */ (model.tHead?.cloneNode(true)),
    make("tbody", {}, source.rows.slice(0, MOST_ROWS).map((row) => rowOf(values, source, columns, row)))
  ]);
  return view(name, `A${name.slice(1)}`, size, [
    pill(held.length === 1 ? "1 value" : `Reused by ${counted(held.length)} values`),
    chip(values.classes[allocations.class[number]], values.kinds[allocations.kind[number]]),
    make("span", {}, [`in ${color} · ${values.spaces[color]}`])
  ], [
    ["Size", [`${counted(size)} bytes`]],
    ["Drawn", [mapLink(values, `space=${color}&allocation=${number}`)]]
  ], [
    ...(live.length > 1 ? [make("figure", { class: "map packing" }, [picture(values, live, size, names.length)])] : []),
    ...(held.length ? [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Values of ${name}` }, [table])] : []),
    ...(source.rows.length > MOST_ROWS ? [make("p", {}, [make("a", { href: `#view=values&allocation=${number}` }, [`All ${counted(held.length)} values`])])] : [])
  ]);
};

/**
 * @param {Values} values
 * @param {Timeline} timeline
 * @param {string} id
 */
const instructionView = (values, { names, spaces, recomputes }, id) => {
  const moment = Number(id), name = names[moment];
  if (!name) return null;
  const all = [...values.name.keys()], link = (/** @type {number} */ number) => valueLink(values, number);
  const made = all.filter((number) => values.name[number] === name);
  const reads = all.filter((number) => values.reads[number].includes(moment));
  const main = Object.keys(spaces)[0], space = spaces[main], again = recomputes[moment];
  const resident = (/** @type {number} */ at) => space ? space.static + amountAt(space.temp, at) : 0;
  const change = resident(moment) - (moment ? resident(moment - 1) : 0);
  const neighbour = (/** @type {number} */ at, /** @type {string} */ rel) => names[at]
    ? [make("a", { href: `#i${at}`, rel }, [rel === "prev" ? `‹ ${counted(at)}` : `${counted(at)} ›`]), " "] : [];
  const known = made.find((number) => values.index[number] === "") ?? made[0];
  return view(name, `Instruction ${counted(moment)}`, resident(moment), [
    ...(change ? [pill(`${change > 0 ? "+" : "−"}${humanBytes(Math.abs(change))}`)] : []),
    make("span", {}, [`resident in ${main ? values.spaces[Number(main)] : "memory"}`])
  ], [
    ["Operation or argument", known === undefined ? [] : origin(values, known)],
    ["Recomputes", again ? [instructionLink(names.indexOf(again), again)] : []],
    ["Writes", listed(made, link)],
    ["Reads", listed(reads, link)],
    ["Last use of", listed(reads.filter((number) => lastUse(values, number) === moment), link)],
    ["Before and after", [...neighbour(moment - 1, "prev"), ...neighbour(moment + 1, "next")]],
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
  // Without scripts an address leads to the row of an instruction: a browser would open its table and scroll to it first.
  main.querySelectorAll("table[data-whole] tr[id]").forEach((row) => row.removeAttribute("id"));
  const title = document.title, place = crumb?.textContent ?? "";
  /** @type {HTMLElement | null} */
  let shown = null;
  /** @type {HTMLElement | null} */
  let made = null;
  let tablesAt = 0;

  /** @param {HTMLElement | null} found */
  const open = (found) => {
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
    if (!found) return;
    made = found;
    main.append(found);
  };
  addEventListener("hashchange", show);
  State.onChange(show);
  show();
};
