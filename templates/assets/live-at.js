// What is live at the chosen moment: every byte once, given to the value defined last, as in the peak's table.
(function () {
  "use strict";
  const section = document.getElementById("live-at");
  if (!section || !window.Moments) return;
  const most = 200;
  function liveAt(values, color, moment) {
    const found = [];
    values.name.forEach(function (_, number) {
      if (values.allocations.color[values.allocation[number]] !== color) return;
      if (values.first[number] >= 0 && values.first[number] <= moment && moment <= values.last[number]) found.push(number);
    });
    return found;
  }
  // Bytes of each value that no value defined later also holds.
  function shares(values, live) {
    const byAllocation = new Map(), owned = new Map();
    live.forEach(function (number) {
      const allocation = values.allocation[number];
      if (!byAllocation.has(allocation)) byAllocation.set(allocation, []);
      byAllocation.get(allocation).push(number);
    });
    byAllocation.forEach(function (numbers) {
      numbers.sort(function (one, other) { return values.first[other] - values.first[one] || other - one; });
      const covered = [];
      numbers.forEach(function (number) {
        owned.set(number, take(covered, values.offset[number], values.offset[number] + values.size[number]));
      });
    });
    return owned;
  }
  // Adds [low, high) to disjoint intervals in order and tells how many bytes were new.
  function take(covered, low, high) {
    let at = 0, fresh = high - low;
    while (at < covered.length && covered[at][1] < low) at += 1;
    let start = low, end = high, count = 0;
    while (at + count < covered.length && covered[at + count][0] <= high) {
      const other = covered[at + count];
      fresh -= Math.max(0, Math.min(high, other[1]) - Math.max(low, other[0]));
      start = Math.min(start, other[0]);
      end = Math.max(end, other[1]);
      count += 1;
    }
    covered.splice(at, count, [start, end]);
    return fresh;
  }
  function cell(row, kind, content, className) {
    const made = document.createElement(kind);
    if (kind === "th") made.scope = "row";
    if (className) made.className = className;
    made.append(content);
    row.append(made);
  }
  function bytes(size) {
    const made = document.createElement("data");
    made.value = size;
    made.title = size.toLocaleString("en") + " bytes";
    made.textContent = Report.bytes(size);
    return made;
  }
  function link(href, text) {
    const made = document.createElement("a");
    made.href = href;
    made.textContent = text;
    return made;
  }
  function valueRow(values, number, size) {
    const row = document.createElement("tr"), allocation = values.allocation[number];
    cell(row, "td", bytes(size), "number");
    cell(row, "th", link(window.Report.valueHref(values, number), values.name[number] + values.index[number]));
    cell(row, "td", link("a/" + values.allocations.page[allocation] + ".html", "allocation " + values.allocations.index[allocation]));
    cell(row, "td", values.classes[values["class"][number]]);
    cell(row, "td", values.first[number] + " to " + values.last[number]);
    cell(row, "td", values.scopes[values.scope[number]] || values.opcodes[values.opcode[number]]);
    return row;
  }
  function table(values, owned) {
    const made = document.createElement("table"), body = document.createElement("tbody"), foot = document.createElement("tfoot");
    made.innerHTML = "<thead><tr><th scope=col class=number>Bytes</th><th scope=col>Value</th><th scope=col>Allocation</th>" +
      "<th scope=col>Class</th><th scope=col>Live range</th><th scope=col>Scope or opcode</th></tr></thead>";
    const numbers = Array.from(owned.keys()).sort(function (one, other) { return owned.get(other) - owned.get(one); });
    let rest = 0, total = 0;
    numbers.forEach(function (number, rank) {
      total += owned.get(number);
      if (rank < most) body.append(valueRow(values, number, owned.get(number)));
      else rest += owned.get(number);
    });
    if (numbers.length > most) foot.append(sumRow(rest, (numbers.length - most).toLocaleString("en") + " more"));
    const last = sumRow(total, total.toLocaleString("en") + " bytes under live values");
    last.className = "total";
    foot.append(last);
    made.append(body, foot);
    return made;
  }
  function sumRow(size, text) {
    const row = document.createElement("tr");
    cell(row, "td", bytes(size), "number");
    cell(row, "th", text);
    row.lastChild.colSpan = 5;
    return row;
  }
  function show(values, moment, name) {
    const select = document.querySelector('#packing-map select[name="space"]');
    const color = Number(State.get("space") || select.value), live = liveAt(values, color, moment);
    const heading = document.createElement("h3"), scroll = document.createElement("div");
    heading.textContent = "Live at moment " + moment + (name ? " (" + name + ")" : "") + " in space " + color;
    scroll.className = "scroll";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", heading.textContent);
    if (live.length) scroll.append(table(values, shares(values, live)));
    else scroll.append("Nothing is live here.");
    section.replaceChildren(heading, scroll);
  }
  window.Moments.follow(function () {
    const moment = window.Moments.chosen();
    section.hidden = moment === null;
    document.getElementById("live-link").hidden = moment === null;
    if (moment === null) return;
    Promise.all([Report.load("values"), Report.load("timeline")]).then(function (loaded) {
      if (window.Moments.chosen() === moment) show(loaded[0], moment, loaded[1].names[moment]);
    });
  });
})();
