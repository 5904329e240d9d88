// The packing map: offset against program order, on the page of a module. What the reader asks for is drawn
// in full, the rest dimmed; both axes zoom.
import { counted, humanBytes, windowTicks } from "./bytes.js";
import { addChartTools } from "./chart-tools.js";
import { draw } from "./charts.js";
import { loadValues } from "./data.js";
import { chosenCapacity, followDevice } from "./device.js";
import { byId, make } from "./dom.js";
import { MANY, cameIntoView, painted, placeTip, themeColor, whenInView } from "./drawing.js";
import { valueHref } from "./hrefs.js";
import { grouped } from "./map-colors.js";
import { listenToGestures, pointUnder } from "./map-gestures.js";
import { among, around, clamped, zoomed } from "./map-window.js";
import { MOST_TAKEOVERS, captionOf, highlightTest, labelsOf, tooltipLines } from "./map-words.js";
import { boxes, isDrawn, stack, takeovers, under, visible } from "./packing-layout.js";
import * as State from "./state.js";

/** @typedef {import("./packing-layout.js").Box} Box
 * @typedef {import("./map-colors.js").Groups} Groups
 * @typedef {import("./map-window.js").Window} Window
 * @typedef {import("./time-axis.js").TimeAxis} TimeAxis */

const MOST_NAMED = 9, MOST_ALLOCATIONS = 100, MOST_SVG_BOXES = 2000, MOST_EDGES = 200;
const DIMMED = 0.18;
const PHONE = "(max-width: 40rem)";
const TICK_PIXELS = 6;
const RESIZE_MILLISECONDS = 150;
// Browsers limit how often the address may change, so it follows when a gesture rests.
const REST_MILLISECONDS = 250;
const IDLE_MILLISECONDS = 2000;
const SIGNAL_COLORS = ["text", "muted", "line", "focus", "error", "background"];
const CHOICES = ["space", "allocation", "color", "find", "group", "moment"];
const WINDOW_KEYS = { from: null, to: null, low: null, high: null, fit: null };

/** Draw the map once the values are there, and let the reader use it.
 * @type {(figure: HTMLElement, values: Values, axis: TimeAxis) => Promise<void>} */
const createMap = async (figure, values, axis) => {
  const form = /** @type {HTMLFormElement} */ (figure.querySelector("form"));
  const plot = /** @type {HTMLElement} */ (figure.querySelector(".plot"));
  const caption = byId("map-caption"), legend = byId("map-legend"), count = byId("map-count");
  const field = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
  const fields = { space: field("space"), allocation: field("allocation"), color: field("color"), find: field("find") };
  const conflicting = new Set(values.conflicting);
  const fitted = () => {
    const name = State.get("fit");
    return name === null ? -1 : values.id.indexOf(name);
  };

  const fillAllocations = () => {
    const { allocations, classes } = values;
    const inSpace = stack(allocations, Number(fields.space.value), null).numbers;
    const largest = inSpace.sort((one, other) => allocations.size[other] - allocations.size[one]).slice(0, MOST_ALLOCATIONS);
    fields.allocation.replaceChildren(new Option("all", ""), ...largest.map((number) => {
      const parts = [allocations.index[number], classes[allocations.class[number]], humanBytes(allocations.size[number])];
      return new Option(parts.join(" · "), String(number));
    }));
  };

  const readState = () => {
    const space = State.get("space"), color = State.get("color") ?? "";
    if (space !== null && fields.space.querySelector(`option[value="${CSS.escape(space)}"]`)) fields.space.value = space;
    fillAllocations();
    fields.allocation.value = State.get("allocation") ?? "";
    const choices = [...fields.color.querySelectorAll("option")].map(({ value }) => value);
    fields.color.value = choices.includes(color) ? color : choices[0];
    // The reader may be typing, and the state follows with the last key.
    if (document.activeElement !== fields.find) fields.find.value = State.get("find") ?? "";
  };

  const arrange = () => {
    const space = Number(fields.space.value), only = State.get("allocation");
    const chosen = stack(values.allocations, space, only === null ? null : Number(only)), isKnown = chosen.numbers.length > 0;
    const stacked = { ...(isKnown ? chosen : stack(values.allocations, space, null)), isWhole: only === null || !isKnown };
    const all = boxes(values, stacked);
    return { stacked, all, handovers: takeovers(all) };
  };

  readState();
  let { stacked, all, handovers } = arrange();
  let pending = /** @type {Window | null} */ (null);
  /** @type {Groups} */
  let groups = { names: [], colors: new Map(), words: (name) => name };

  const whole = () => ({ first: 0, last: axis.total, low: 0, high: stacked.height });
  const shownWindow = () => {
    if (pending) return pending;
    const [first, last] = axis.range(), low = Number(State.get("low") ?? 0), high = Number(State.get("high") ?? stacked.height);
    const isSound = Number.isFinite(low) && Number.isFinite(high) && low < high;
    const bytes = isSound ? clamped({ first, last, low, high }, whole()) : whole();
    return { first, last, low: bytes.low, high: bytes.high };
  };
  const params = {
    ...whole(), ticks: [0], unit_bytes: 1, unit: "B",
    ...Object.fromEntries(SIGNAL_COLORS.map((name) => [name, themeColor(name)]))
  };
  const datasets = { free: [], values: [], handovers: [], peak: [], capacity: [], names: [], chosen: [] };
  // Canvas, because thousands of SVG elements are slow to redraw.
  const view = await draw(plot, "packing-map", { datasets, params }, all.length > MOST_SVG_BOXES ? "canvas" : "svg");

  const showLegend = () => {
    const chosen = State.get("group");
    legend.replaceChildren(...groups.names.slice(0, MOST_NAMED).flatMap((name, place) => {
      const chip = make("button", { type: "button", class: "chip", "aria-pressed": String(name === chosen) }, [groups.words(name)]);
      chip.style.borderColor = groups.colors.get(name) ?? "";
      chip.addEventListener("click", () => {
        State.set({ group: name === State.get("group") ? null : name });
        legend.querySelectorAll("button")[place]?.focus();
      });
      return [chip, " "];
    }));
    if (groups.names.length > MOST_NAMED) legend.append(`and ${groups.names.length - MOST_NAMED} more in gray`);
  };

  const free = () => {
    const fill = themeColor("surface"), edge = stacked.numbers.length > MOST_EDGES ? null : themeColor("line");
    return stacked.numbers.map((number) => {
      const low = stacked.base.get(number) ?? 0;
      return { first: 0, last: axis.total, low, high: low + values.allocations.size[number], fill, edge };
    });
  };

  // Dims what the reader does not ask for: by the chosen moment, by words or by a group of the legend.
  const emphasize = () => {
    const moment = axis.chosen(), text = (State.get("find") ?? "").trim(), fit = fitted();
    const group = groups.names.includes(State.get("group") ?? "") ? State.get("group") : null;
    const test = highlightTest(values, text);
    let found = 0;
    all.forEach((box) => {
      const isLive = moment === null || (values.first[box.number] <= moment && moment <= values.last[box.number]);
      const isFound = (!text || test(box.number)) && (group === null || box.group === group);
      box.opacity = isLive && isFound ? 1 : DIMMED;
      box.always = (text !== "" && isLive && isFound) || conflicting.has(box.number) || box.number === fit;
      if (isFound) found += 1;
    });
    count.textContent = text || group !== null ? `${counted(found)} of ${counted(all.length)} values match` : "";
  };

  const rectangles = (/** @type {ReturnType<typeof visible>} */ found) => {
    const edge = themeColor("background"), marked = themeColor("text"), wrong = themeColor("error"), focus = themeColor("focus");
    const fit = fitted();
    const runs = found.runs.map(({ style, ...run }) => {
      const [opacity, ...fill] = style.split(" ");
      return { ...run, opacity: Number(opacity), fill: fill.join(" "), edge: null };
    });
    const shown = found.shown.map(({ number, first, last, low, high, opacity, group, always }) => ({
      first, last, low, high, opacity, fill: groups.colors.get(group),
      isOutlined: number === fit, edge: number === fit ? focus : conflicting.has(number) ? wrong : always ? marked : edge
    }));
    // The outlined value comes last, or its neighbors would cover its edge.
    return [...runs, ...shown.filter((one) => !one.isOutlined), ...shown.filter((one) => one.isOutlined)];
  };

  const redraw = () => {
    const window = shownWindow(), { first, last, low, high } = window, moment = axis.chosen();
    const found = visible(all, { ...window, width: view.width(), height: view.height() },
      (box) => `${box.opacity} ${groups.colors.get(box.group)}`);
    const bars = handovers.filter((box) => box.first >= first && box.first < last && box.high > low && box.low < high);
    Object.entries({ ...window, ...windowTicks(low, high) }).forEach(([name, value]) => view.signal(name, value));
    view.data("values", rectangles(found));
    const tick = (TICK_PIXELS * (high - low)) / view.height();
    view.data("handovers", bars.length > MOST_TAKEOVERS ? [] : bars.map((box) => ({ ...box, high: Math.min(box.high, box.low + tick) })));
    view.data("chosen", moment === null ? [] : [{ moment }]);
    view.data("names", labelsOf(values, found.shown, { ...window, width: view.width(), height: view.height() },
      (box) => groups.colors.get(box.group) ?? ""));
    const { peak, capacity } = landmarks();
    view.data("peak", peak === null ? [] : [{ moment: peak }]);
    view.data("capacity", capacity === null ? [] : [{ limit: capacity }]);
    view.runAsync();
    const outside = all.length - found.shown.length - found.merged;
    /** @type {ChildNode} */ (caption.firstChild).textContent =
      `${captionOf(found, outside, bars.length, conflicting.size)} ${fitSentence()}The tables of `;
  };

  // The peak of the space, and what the device has where all of the space is shown.
  const landmarks = () => {
    const space = fields.space.value;
    const chart = /** @type {HTMLElement | null} */ (document.querySelector(`figure[data-chart="memory-over-time"][data-space="${space}"]`));
    const known = Number(chart?.dataset.capacity) || chosenCapacity(space);
    return { peak: chart ? Number(chart.dataset.peak) : null, capacity: stacked.isWhole ? known : null };
  };

  const fitSentence = () => {
    const number = fitted();
    if (number < 0) return "";
    const name = values.name[number] + values.index[number];
    return all.some((box) => box.number === number) ? `${name} is outlined. ` : `${name} is not on this map. `;
  };

  // After a change of what is drawn or in which colors; a zoom needs only `redraw`.
  const restyle = () => {
    groups = grouped(values, all, fields.color.value);
    SIGNAL_COLORS.forEach((name) => view.signal(name, themeColor(name)));
    view.data("free", free());
    emphasize();
    showLegend();
    redraw();
  };

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let frame = 0;
  const show = (/** @type {Window | null} */ window, isGesture = false) => {
    const all = whole(), { first, last, low, high } = window ?? all;
    const isAllTime = first <= 0 && last >= all.last, isAllBytes = low <= 0 && high >= all.high;
    const choices = {
      from: isAllTime ? null : first, to: isAllTime ? null : last,
      low: isAllBytes ? null : low, high: isAllBytes ? null : high
    };
    const commit = () => {
      pending = null;
      State.set(choices, { replace: isGesture });
    };
    clearTimeout(timer);
    if (!isGesture) return commit();
    pending = { first, last, low, high };
    timer = globalThis.setTimeout(commit, REST_MILLISECONDS);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(redraw);
  };

  const boxUnder = (/** @type {MouseEvent} */ event) => {
    const { moment, byte, isInside } = pointUnder({ view, plot, window: shownWindow }, event), { first, last, low, high } = shownWindow();
    if (!isInside) return null;
    return under(all, moment, byte, (2 * (last - first)) / view.width(), (2 * (high - low)) / view.height());
  };

  const tooltip = make("div", { class: "tip", hidden: "" });
  const hover = (/** @type {PointerEvent} */ event) => {
    const box = boxUnder(event);
    plot.style.cursor = box ? "pointer" : "crosshair";
    if (box) placeTip(tooltip, plot, event, tooltipLines(values, box.number)); else tooltip.hidden = true;
  };

  // Shows the value that another page asks for, unless the link says which part of the map to show.
  const fit = () => {
    const number = fitted();
    if (number < 0 || State.get("low") !== null || State.get("from") !== null) return;
    const color = values.allocations.color[values.allocation[number]];
    State.set({ space: color, allocation: null }, { replace: true });
    readState();
    ({ stacked, all, handovers } = arrange());
    const box = all.find((one) => one.number === number);
    if (box) {
      const { first, last, low, high } = around(box, whole());
      State.set({ from: first, to: last, low, high }, { replace: true });
    }
    figure.scrollIntoView({ block: "center" });
  };

  const listen = () => {
    plot.append(tooltip);
    plot.addEventListener("pointermove", hover);
    plot.addEventListener("pointerleave", () => { tooltip.hidden = true; });
    listenToGestures({
      view, plot, window: shownWindow, all: whole, show,
      clicked: (event, moment) => {
        const box = boxUnder(event), size = { width: view.width(), height: view.height() };
        if (!box) axis.choose(moment);
        else if (isDrawn(box, { ...shownWindow(), ...size })) location.href = valueHref(values, box.number);
        else show(among(box, whole()));
      }
    });
    form.inert = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    fields.space.addEventListener("change", () => State.set({ ...WINDOW_KEYS, space: fields.space.value, allocation: null }));
    fields.allocation.addEventListener("change", () => State.set({ ...WINDOW_KEYS, allocation: fields.allocation.value }));
    fields.color.addEventListener("change", () => State.set({ color: fields.color.value, group: null }));
    fields.find.addEventListener("input", () => State.set({ find: fields.find.value }, { replace: true }));
    field("in").addEventListener("click", () => show(zoomed(shownWindow(), whole(), 0.5)));
    field("out").addEventListener("click", () => show(zoomed(shownWindow(), whole(), 2)));
    field("reset").addEventListener("click", () => State.set(WINDOW_KEYS));
    new MutationObserver(restyle).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
    let resizing = 0;
    addEventListener("resize", () => {
      clearTimeout(resizing);
      resizing = window.setTimeout(() => update(), RESIZE_MILLISECONDS);
    });
  };

  listen();
  addChartTools(figure, "packing-map", view);
  fit();
  const changes = new Set();
  const update = whenInView(figure, async () => {
    const keys = [...changes];
    changes.clear();
    // A zoom leaves everything but the window as it is, and must be quick.
    if (keys.every((key) => key !== "fit" && key in WINDOW_KEYS)) return redraw();
    if (all.length > MANY) {
      plot.setAttribute("aria-busy", "true");
      await painted();
    }
    readState();
    if (keys.includes("space") || keys.includes("allocation")) ({ stacked, all, handovers } = arrange());
    restyle();
    plot.removeAttribute("aria-busy");
  });
  State.onChange((keys) => {
    const own = keys.filter((key) => key in WINDOW_KEYS || CHOICES.includes(key));
    if (!own.length) return;
    pending = null;
    own.forEach((key) => changes.add(key));
    update();
  });
  restyle();
  followDevice(redraw);
};

/** Draw the map when the reader comes near it, and else once the page is idle, so that it is there for print. On a
 * phone it is folded, unless a link leads to it. */
export const startPackingMap = (/** @type {TimeAxis} */ axis) => {
  const figure = byId("packing-map"), fold = /** @type {HTMLDetailsElement | null} */ (figure.closest("#map-fold"));
  if (fold && !State.get("fit") && matchMedia(PHONE).matches) fold.open = false;
  let isStarted = false;
  const start = async () => {
    if (isStarted || !figure.checkVisibility()) return;
    isStarted = true;
    createMap(figure, await loadValues(), axis);
  };
  cameIntoView(figure, "100%").then(start);
  addEventListener("beforeprint", start);
  addEventListener("load", () => setTimeout(start, IDLE_MILLISECONDS));
  if (State.get("fit")) start();
};
