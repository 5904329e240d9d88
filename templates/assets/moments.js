// The time axis of a module's page: which part of it is shown and which moment is chosen.
// Everything that shows time follows `Moments`; the URL keeps both, so that a link shows the same view.
(function () {
  "use strict";
  const form = document.getElementById("moment-controls");
  if (!form) return;
  const total = Number(form.dataset.moments);
  const followers = [];
  function number(key, least, most) {
    const text = State.get(key);
    const found = text === null || text === undefined || text === "" ? NaN : Number(text);
    return Number.isInteger(found) && found >= least && found <= most ? found : null;
  }
  window.Moments = {
    total: total,
    chosen: function () { return number("moment", 0, total - 1); },
    range: function () {
      const first = number("from", 0, total), last = number("to", 0, total);
      return first !== null && last !== null && first < last ? [first, last] : [0, total];
    },
    choose: function (moment) { State.set({ moment: moment === null ? null : String(moment) }); },
    zoom: function (first, last) {
      const all = first <= 0 && last >= total;
      State.set({ from: all ? null : String(Math.max(0, first)), to: all ? null : String(Math.min(total, last)) });
    },
    follow: function (follower) { followers.push(follower); follower(); },
    // The moment under a pointer in a Vega view's plot, which need not be inside it.
    under: function (view, plot, event) {
      const range = window.Moments.range();
      const x = event.clientX - plot.getBoundingClientRect().left - view.origin()[0];
      return range[0] + (x / view.width()) * (range[1] - range[0]);
    }
  };
  function show() {
    const range = window.Moments.range(), chosen = window.Moments.chosen();
    form.elements.moment.value = chosen === null ? "" : chosen;
    form.elements.from.value = range[0];
    form.elements.to.value = range[1];
    followers.forEach(function (follower) { follower(); });
  }
  form.hidden = false;
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  form.elements.moment.addEventListener("change", function () {
    const text = form.elements.moment.value;
    window.Moments.choose(text === "" ? null : Math.min(total - 1, Math.max(0, Math.round(Number(text)))));
  });
  function choosePeak() {
    const figure = document.querySelector('figure[data-space="' + (State.get("space") || "") + '"]') ||
      document.querySelector("figure[data-peak]");
    window.Moments.choose(Number(figure.dataset.peak));
  }
  form.elements.peak.addEventListener("click", choosePeak);
  Keys.add("p", "Choose the moment of the peak", choosePeak);
  form.elements.none.addEventListener("click", function () { window.Moments.choose(null); });
  form.elements.all.addEventListener("click", function () { window.Moments.zoom(0, total); });
  ["from", "to"].forEach(function (name) {
    form.elements[name].addEventListener("change", function () {
      const first = Math.round(Number(form.elements.from.value)), last = Math.round(Number(form.elements.to.value));
      if (first < last) window.Moments.zoom(first, last);
    });
  });
  // A click chooses, a drag zooms, a double click shows everything.
  window.Moments.listen = function (view, plot, clicked) {
    let start = null, box = null;
    plot.classList.add("timeline");
    plot.addEventListener("pointerdown", function (event) {
      if (event.button === 0) start = { x: event.clientX, moment: window.Moments.under(view, plot, event) };
    });
    plot.addEventListener("pointermove", function (event) {
      if (!start || Math.abs(event.clientX - start.x) < 5) return;
      if (!box) {
        box = document.createElement("div");
        box.className = "brush";
        plot.append(box);
        plot.setPointerCapture(event.pointerId);
      }
      const left = plot.getBoundingClientRect().left;
      box.style.left = Math.min(start.x, event.clientX) - left + "px";
      box.style.width = Math.abs(event.clientX - start.x) + "px";
    });
    plot.addEventListener("pointerup", function (event) {
      if (!start) return;
      const from = start.moment, to = window.Moments.under(view, plot, event), dragged = box !== null;
      start = null;
      if (box) box.remove();
      box = null;
      if (dragged) {
        const first = Math.floor(Math.min(from, to)), last = Math.ceil(Math.max(from, to));
        if (last - first >= 1) window.Moments.zoom(first, last);
      } else if (to >= 0 && to < total) clicked(event, Math.floor(to));
    });
    plot.addEventListener("pointercancel", function () {
      start = null;
      if (box) box.remove();
      box = null;
    });
    plot.addEventListener("dblclick", function () { window.Moments.zoom(0, total); });
  };
  State.onChange(show);
  show();
})();
