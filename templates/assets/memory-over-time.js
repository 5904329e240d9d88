// The charts of memory over program order: the shown part in full detail, the chosen moment, what a pointer is over.
(function () {
  "use strict";
  if (!window.Moments) return;
  const most = 1000;
  // The amount at a moment: the last step that is not behind it.
  function at(steps, moment) {
    let low = 0, high = steps.moments.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (steps.moments[middle] <= moment) low = middle; else high = middle - 1;
    }
    return steps.amounts[low];
  }
  // Steps from `first` to `last`; where they are thinner than a pixel the lowest and the highest stay, as in the page.
  function part(steps, first, last) {
    const width = Math.max(1, Math.floor((last - first) / most));
    const rows = [[first, at(steps, first)]];
    let bucket = null, low, high, end;
    function flush() {
      if (bucket === null) return;
      const kept = [low, high, end].sort(function (one, other) { return one[0] - other[0]; });
      kept.forEach(function (row) { if (row[0] !== rows[rows.length - 1][0]) rows.push(row); });
    }
    steps.moments.forEach(function (moment, number) {
      if (moment <= first || moment >= last) return;
      const row = [moment, steps.amounts[number]];
      if (bucket !== Math.floor(moment / width)) {
        flush();
        bucket = Math.floor(moment / width);
        low = high = row;
      }
      if (row[1] < low[1]) low = row;
      if (row[1] > high[1]) high = row;
      end = row;
    });
    flush();
    rows.push([last, rows[rows.length - 1][1]]);
    return rows;
  }
  function showPart(view, steps, range) {
    view.data("temporary", part(steps.temp, range[0], range[1]).map(function (row) {
      return { "class": "temporary", moment: row[0], low: steps["static"], high: steps["static"] + row[1] };
    }));
    view.data("live", part(steps.live, range[0], range[1]).map(function (row) {
      return { moment: row[0], amount: row[1] };
    }));
  }
  function follow(figure, view) {
    const plot = figure.querySelector(".plot"), readout = document.getElementById("readout");
    let shown = "0-" + window.Moments.total;
    window.Moments.listen(view, plot, function (event, moment) {
      const changes = { moment: String(moment), space: figure.dataset.space };
      if (State.get("space") !== figure.dataset.space) changes.allocation = null;
      State.set(changes);
    });
    window.Moments.follow(function () {
      const range = window.Moments.range(), chosen = window.Moments.chosen();
      view.signal("first", range[0]).signal("last", range[1]);
      view.data("chosen", chosen === null ? [] : [{ moment: chosen }]);
      view.runAsync();
      if (shown === range.join("-")) return;
      shown = range.join("-");
      Report.load("timeline").then(function (timeline) {
        showPart(view, timeline.spaces[figure.dataset.space], range);
        view.runAsync();
      });
    });
    plot.addEventListener("pointermove", function (event) {
      Report.load("timeline").then(function (timeline) {
        const moment = Math.floor(window.Moments.under(view, plot, event));
        if (moment < 0 || moment >= window.Moments.total) return;
        const steps = timeline.spaces[figure.dataset.space];
        readout.textContent = "Space " + figure.dataset.space + ", moment " + moment + ": " + (timeline.names[moment] || "") +
          ", resident " + Report.bytes(steps["static"] + at(steps.temp, moment)) + ", live " + Report.bytes(at(steps.live, moment));
      });
    });
  }
  document.querySelectorAll('figure[data-chart="memory-over-time"]').forEach(function (figure) {
    window.Charts.of(figure).then(function (view) { follow(figure, view); });
  });
  window.Moments.amountAt = at;
})();
