// The geometry of the packing map, without drawing: where allocations are stacked, and what a pixel can show.
(function () {
  "use strict";
  const order = [0, 2, 1, 3]; // parameters, constants, outputs, temporaries; thread-local ones have no live range
  // Allocations of a space stacked by class: the base of each, by its number, and the height of all.
  function stack(allocations, color, only) {
    const numbers = allocations.index.map(function (_, number) { return number; }).filter(function (number) {
      const inSpace = allocations.color[number] === color && order.indexOf(allocations["class"][number]) >= 0;
      return inSpace && allocations.size[number] > 0 && (only === null || only === number);
    });
    numbers.sort(function (one, other) {
      return order.indexOf(allocations["class"][one]) - order.indexOf(allocations["class"][other]) || one - other;
    });
    const base = new Map();
    let height = 0;
    numbers.forEach(function (number) {
      base.set(number, height);
      height += allocations.size[number];
    });
    return { numbers: numbers, base: base, height: height };
  }
  // The values of the stack as boxes of moments and bytes.
  function boxes(values, stacked) {
    const found = [];
    values.name.forEach(function (_, number) {
      const base = stacked.base.get(values.allocation[number]);
      if (base === undefined || values.first[number] < 0 || values.size[number] === 0) return;
      const low = base + values.offset[number];
      found.push({ number: number, first: values.first[number], last: values.last[number] + 1, low: low, high: low + values.size[number] });
    });
    return found;
  }
  // Boxes that a pixel can show, and the rest merged into runs of one pixel row: `style` says what may be merged.
  function visible(all, view, style) {
    const shown = [], rows = new Map();
    let merged = 0, bytes = 0;
    const perMoment = view.width / (view.last - view.first), perByte = view.height / (view.high - view.low);
    all.forEach(function (box) {
      if (box.last <= view.first || box.first >= view.last || box.high <= view.low || box.low >= view.high) return;
      const tall = (box.high - box.low) * perByte >= 1, wide = (box.last - box.first) * perMoment >= 0.5;
      if ((tall && wide) || box.always) { shown.push(box); return; }
      merged += 1;
      bytes += box.high - box.low;
      const look = style(box), row = Math.floor((box.low - view.low) * perByte) + "/" + look;
      if (!rows.has(row)) rows.set(row, { look: look, parts: [] });
      rows.get(row).parts.push(box);
    });
    const runs = [];
    rows.forEach(function (row) { join(row.parts, 1.5 / perMoment, 1 / perByte, row.look, runs); });
    return { shown: shown, runs: runs, merged: merged, bytes: bytes };
  }
  function join(parts, gap, thickness, look, runs) {
    parts.sort(function (one, other) { return one.first - other.first; });
    let run = null;
    parts.forEach(function (box) {
      const low = box.low, high = Math.max(box.high, box.low + thickness);
      if (run && box.first <= run.last + gap) {
        run.last = Math.max(run.last, box.last);
        run.low = Math.min(run.low, low);
        run.high = Math.max(run.high, high);
      } else {
        run = { first: box.first, last: box.last, low: low, high: high, look: look };
        runs.push(run);
      }
    });
  }
  // Where one value hands its slice to the next in the same moment.
  function handovers(all) {
    const slices = new Map(), found = [];
    all.forEach(function (box) {
      const slice = box.low + "-" + box.high;
      if (!slices.has(slice)) slices.set(slice, []);
      slices.get(slice).push(box);
    });
    slices.forEach(function (tenants) {
      tenants.sort(function (one, other) { return one.first - other.first || one.last - other.last; });
      for (let number = 1; number < tenants.length; number += 1) {
        if (tenants[number].first === tenants[number - 1].last - 1) found.push(tenants[number]);
      }
    });
    return found;
  }
  // The box under a point, the one defined last when several are; a few pixels of tolerance for thin ones.
  function under(all, moment, byte, slackMoments, slackBytes) {
    let best = null, bestDistance = Infinity;
    all.forEach(function (box) {
      const across = Math.max(box.first - moment, moment - box.last, 0) / slackMoments;
      const along = Math.max(box.low - byte, byte - box.high, 0) / slackBytes;
      const distance = Math.max(across, along);
      if (distance > 1) return;
      if (distance < bestDistance || (distance === bestDistance && box.first >= best.first)) {
        best = box;
        bestDistance = distance;
      }
    });
    return best;
  }
  window.PackingLayout = { stack: stack, boxes: boxes, visible: visible, handovers: handovers, under: under };
})();
