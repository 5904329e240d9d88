// The packing map of a module: offset against program order, with what the reader asks for drawn and the rest dimmed.
(function () {
  "use strict";
  const figure = document.getElementById("packing-map");
  if (!figure || !window.Moments) return;
  const form = figure.querySelector("form"), plot = figure.querySelector(".plot");
  const caption = document.getElementById("map-caption"), legend = document.getElementById("map-legend");
  const mostNamed = 9, mostHandovers = 2000;
  const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b59f00", "#7a5195", "#4d7c0f"];
  let values, conflicting, stacked, all, view, size;

  function color(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
  function chosenAllocation() {
    const text = State.get("allocation");
    return text ? Number(text) : null;
  }
  function groupOf(number) {
    const by = form.elements.color.value;
    if (by === "class") return values.classes[values["class"][number]];
    if (by === "opcode") return values.opcodes[values.opcode[number]] || "no opcode in the dump";
    const parts = values.scopes[values.scope[number]].split("/");
    return parts.slice(0, Math.min(2, Math.max(1, parts.length - 1))).join("/") || "no scope in the dump";
  }
  // The groups by the area they cover, the largest with a color of their own.
  function groups() {
    const area = new Map();
    all.forEach(function (box) {
      box.group = groupOf(box.number);
      area.set(box.group, (area.get(box.group) || 0) + (box.high - box.low) * (box.last - box.first));
    });
    const names = Array.from(area.keys()).sort(function (one, other) { return area.get(other) - area.get(one); });
    const colors = new Map();
    names.forEach(function (name, rank) {
      if (form.elements.color.value === "class") colors.set(name, color("class-" + name));
      else colors.set(name, rank < mostNamed ? palette[rank] : color("class-thread-local"));
    });
    return { names: names, colors: colors };
  }
  function showLegend(grouped) {
    legend.replaceChildren();
    grouped.names.slice(0, mostNamed).forEach(function (name) {
      const chip = document.createElement("span");
      chip.className = "chip";
      chip.style.borderColor = grouped.colors.get(name);
      chip.textContent = name;
      legend.append(chip, " ");
    });
    if (grouped.names.length > mostNamed) legend.append("and " + (grouped.names.length - mostNamed) + " more in gray");
  }
  function matches(number, text) {
    return (values.name[number] + values.index[number]).toLowerCase().includes(text) ||
      values.scopes[values.scope[number]].toLowerCase().includes(text) ||
      values.sources[values.source[number]].toLowerCase().includes(text);
  }
  // What is asked for stands out; `null` where nothing is asked for.
  function isAskedFor(number, chosen, text) {
    if (chosen === null && !text) return null;
    const live = chosen === null || (values.first[number] <= chosen && chosen <= values.last[number]);
    return live && (!text || matches(number, text));
  }
  function rows(grouped, window_) {
    const chosen = Moments.chosen(), text = (State.get("find") || "").toLowerCase();
    all.forEach(function (box) {
      const asked = isAskedFor(box.number, chosen, text);
      box.opacity = asked === false ? 0.18 : 1;
      box.always = (Boolean(text) && asked === true) || conflicting.has(box.number);
    });
    const found = PackingLayout.visible(all, window_, function (box) { return box.opacity + grouped.colors.get(box.group); });
    const edge = color("background"), marked = color("text"), wrong = color("error");
    const shown = found.shown.map(function (box) {
      return {
        first: box.first, last: box.last, low: box.low, high: box.high, opacity: box.opacity,
        fill: grouped.colors.get(box.group), edge: conflicting.has(box.number) ? wrong : box.always ? marked : edge
      };
    });
    const runs = found.runs.map(function (run) {
      const fill = run.look.slice(run.look.indexOf("#"));
      return { first: run.first, last: run.last, low: run.low, high: run.high, opacity: parseFloat(run.look), fill: fill, edge: null };
    });
    return { values: runs.concat(shown), found: found };
  }
  function say(found, handovers) {
    const parts = [found.shown.length.toLocaleString("en") + " values drawn one by one"];
    if (found.merged) {
      parts.push(found.merged.toLocaleString("en") + " thinner than a pixel merged (slices of " + Report.bytes(found.bytes) +
        " in all), zoom in to tell them apart");
    }
    parts.push(handovers.length > mostHandovers ? handovers.length.toLocaleString("en") + " hand-overs, zoom in to see them"
      : handovers.length + " hand-overs as dark bars");
    if (conflicting.size) parts.push(conflicting.size.toLocaleString("en") + " values in conflict edged in red");
    caption.firstChild.textContent = parts.join("; ") + ". The tables of ";
  }
  function draw() {
    const range = Moments.range(), chosen = Moments.chosen();
    const window_ = { first: range[0], last: range[1], low: 0, high: stacked.height, width: view.width(), height: view.height() };
    const grouped = groups(), drawn = rows(grouped, window_);
    const handovers = PackingLayout.handovers(all).filter(function (box) { return box.first >= range[0] && box.first < range[1]; });
    view.signal("first", range[0]).signal("last", range[1]).signal("low", 0).signal("high", stacked.height);
    ["text", "muted", "line", "focus"].forEach(function (name) { view.signal(name, color(name)); });
    setTicks();
    view.data("free", free());
    view.data("values", drawn.values);
    view.data("handovers", handovers.length > mostHandovers ? [] : handovers.map(function (box) {
      return { first: box.first, low: box.low, high: box.high };
    }));
    view.data("chosen", chosen === null ? [] : [{ moment: chosen }]);
    view.runAsync();
    showLegend(grouped);
    say(drawn.found, handovers);
  }
  function free() {
    return stacked.numbers.map(function (number) {
      const low = stacked.base.get(number);
      return {
        first: 0, last: Moments.total, low: low, high: low + values.allocations.size[number],
        fill: color("surface"), edge: stacked.numbers.length > 200 ? null : color("line")
      };
    });
  }
  function setTicks() {
    const exponent = Math.max(0, Math.floor(Math.log2(Math.max(stacked.height, 1)) / 10));
    const unit = Math.pow(1024, exponent), target = stacked.height / unit / 5;
    const power = Math.pow(10, Math.floor(Math.log10(target)));
    const step = [1, 2, 5, 10].map(function (factor) { return factor * power; }).find(function (found) { return found >= target * 0.999; });
    const ticks = [];
    for (let tick = 0; tick * unit <= stacked.height; tick += step) ticks.push(tick * unit);
    view.signal("ticks", ticks).signal("unit_bytes", unit).signal("unit", ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"][exponent]);
  }
  function arrange() {
    const space = Number(form.elements.space.value);
    stacked = PackingLayout.stack(values.allocations, space, chosenAllocation());
    if (!stacked.numbers.length) stacked = PackingLayout.stack(values.allocations, space, null);
    all = PackingLayout.boxes(values, stacked);
  }
  function fillAllocations() {
    const select = form.elements.allocation, allocations = values.allocations;
    const inSpace = PackingLayout.stack(allocations, Number(form.elements.space.value), null).numbers;
    inSpace.sort(function (one, other) { return allocations.size[other] - allocations.size[one]; });
    select.replaceChildren(new Option("all", ""));
    inSpace.slice(0, 100).forEach(function (number) {
      const name = allocations.index[number] + " · " + values.classes[allocations["class"][number]] + " · " + Report.bytes(allocations.size[number]);
      select.append(new Option(name, String(number)));
    });
  }
  function readState() {
    const space = State.get("space"), allocation = State.get("allocation");
    if (space !== null && form.elements.space.querySelector('option[value="' + CSS.escape(space) + '"]')) form.elements.space.value = space;
    fillAllocations();
    form.elements.allocation.value = allocation || "";
    form.elements.color.value = ["class", "opcode", "scope"].includes(State.get("color")) ? State.get("color") : "class";
    if (document.activeElement !== form.elements.find) form.elements.find.value = State.get("find") || "";
  }
  function follow() {
    readState();
    arrange();
    draw();
  }
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  function boxUnder(event) {
    const moment = Moments.under(view, plot, event), range = Moments.range();
    const y = event.clientY - plot.getBoundingClientRect().top - view.origin()[1];
    const perPixel = stacked.height / view.height();
    if (moment < range[0] || moment > range[1] || y < 0 || y > view.height()) return null;
    return PackingLayout.under(all, moment, stacked.height - y * perPixel, (2 * (range[1] - range[0])) / view.width(), 2 * perPixel);
  }
  function describe(box) {
    const number = box.number, lines = [
      values.name[number] + values.index[number],
      Report.bytes(values.size[number]) + ", padding " + Report.bytes(values.padding[number]),
      "moments " + values.first[number] + " to " + values.last[number],
      "allocation " + values.allocations.index[values.allocation[number]] + " at " + values.offset[number].toLocaleString("en"),
      values.opcodes[values.opcode[number]], values.shapes[values.shape[number]],
      values.scopes[values.scope[number]], values.sources[values.source[number]]
    ];
    tip.replaceChildren();
    lines.filter(Boolean).forEach(function (line, row) {
      const element = document.createElement(row ? "div" : "strong");
      element.textContent = line;
      tip.append(element);
    });
  }
  function hover(event) {
    const box = boxUnder(event);
    plot.style.cursor = box ? "pointer" : "crosshair";
    tip.hidden = !box;
    if (!box) return;
    describe(box);
    const bounds = plot.getBoundingClientRect(), x = event.clientX - bounds.left;
    tip.style.top = event.clientY - bounds.top + 14 + "px";
    tip.style.left = Math.max(0, Math.min(x + 14, bounds.width - tip.offsetWidth)) + "px";
  }
  function listen() {
    plot.append(tip);
    plot.addEventListener("pointermove", hover);
    plot.addEventListener("pointerleave", function () { tip.hidden = true; });
    Moments.listen(view, plot, function (event, moment) {
      const box = boxUnder(event);
      if (box) window.location.href = window.Report.valueHref(values, box.number);
      else Moments.choose(moment);
    });
    form.hidden = false;
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.elements.space.addEventListener("change", function () { State.set({ space: form.elements.space.value, allocation: null }); });
    form.elements.allocation.addEventListener("change", function () { State.set({ allocation: form.elements.allocation.value || null }); });
    form.elements.color.addEventListener("change", function () { State.set({ color: form.elements.color.value }); });
    form.elements.find.addEventListener("input", function () { State.set({ find: form.elements.find.value || null }, { replace: true }); });
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    let timer;
    window.addEventListener("resize", function () {
      clearTimeout(timer);
      timer = setTimeout(draw, 150);
    });
  }
  function begin(loaded) {
    values = loaded;
    conflicting = new Set(values.conflicting);
    readState();
    arrange();
    const params = { first: 0, last: Moments.total, low: 0, high: stacked.height, ticks: [0], unit_bytes: 1, unit: "B" };
    ["text", "muted", "line", "focus"].forEach(function (name) { params[name] = color(name); });
    size = all.length > 2000 ? "canvas" : "svg";
    Charts.draw(plot, "packing-map", { datasets: { free: [], values: [], handovers: [], chosen: [] }, params: params }, size)
      .then(function (drawn) {
        view = drawn;
        listen();
        Moments.follow(follow);
      });
  }
  // The map is long to draw and below the fold, so it waits until the reader comes near, or prints.
  const observer = new IntersectionObserver(function (entries) {
    if (entries.some(function (entry) { return entry.isIntersecting; })) start();
  }, { rootMargin: "400px" });
  let started = false;
  function start() {
    observer.disconnect();
    if (!started) Report.load("values").then(begin);
    started = true;
  }
  observer.observe(figure);
  window.addEventListener("beforeprint", start);
})();
