// What the reader sees of the watching: a line in the corner that says what was rebuilt, and behind it what changed.
// Everything is text that was made elsewhere: nothing here computes a figure.
(function () {
  "use strict";
  const STORE = "reportgen-live";
  const FRESH = 8000;

  function stored() {
    try { return JSON.parse(sessionStorage.getItem(STORE)) || {}; } catch (error) { return {}; }
  }
  function store(changes) {
    try { sessionStorage.setItem(STORE, JSON.stringify(Object.assign(stored(), changes))); } catch (error) { /* forgotten */ }
  }

  function make(name, attributes, children) {
    const made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    made.append.apply(made, (children || []).filter(function (child) { return child !== null && child !== ""; }));
    return made;
  }

  const line = make("button", { type: "button", class: "live-line", "aria-expanded": "false", "aria-controls": "live-panel" });
  const panel = make("section", { id: "live-panel", class: "live-panel", "aria-label": "What changed", hidden: "" });
  const spoken = make("p", { class: "hidden", role: "status" });
  const root = make("aside", { id: "live", "aria-label": "Live report" }, [panel, line, spoken]);
  let fading = 0;

  function open(isOpen) {
    panel.hidden = !isOpen;
    line.setAttribute("aria-expanded", String(isOpen));
    store({ open: isOpen });
  }
  line.addEventListener("click", function () { open(panel.hidden); });
  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && root.contains(event.target)) { open(false); line.focus(); }
  });

  function words(parts) { return parts.map(function (part) { return part.textContent || part; }).join(""); }

  // What is new stands out for a while, also when it is said again meanwhile.
  function say(state, parts, isFresh) {
    const isRepeated = !isFresh && state === "live" && line.textContent === words(parts);
    root.dataset.state = state;
    line.replaceChildren(make("span", { class: "live-dot", "aria-hidden": "true" }), make("span", { class: "live-words" }, parts));
    if (isRepeated) return;
    clearTimeout(fading);
    root.classList.toggle("live-fresh", Boolean(isFresh));
    if (!isFresh) return;
    spoken.textContent = words(parts);
    fading = setTimeout(function () { root.classList.remove("live-fresh"); }, FRESH);
  }

  // An amount stays with its unit; a line may break before the share.
  function together(words) { return words.replace(/ (?!\()/g, "\u00a0"); }

  function link(entry) {
    const name = make("span", { title: entry.label }, [entry.title]);
    return entry.href ? make("a", { href: "/" + entry.href, title: entry.label }, [entry.title]) : name;
  }

  function change(words) {
    if (!words) return make("td", { class: "number" }, ["–"]);
    const kind = ["live-less", "live-same", "live-more"][words.direction + 1];
    return make("td", { class: "number " + kind }, [together(words.words)]);
  }

  // A step for each build, from zero, so that a small change does not look like a large one.
  function trend(points) {
    const known = points.filter(function (point) { return point[2] !== null; });
    if (known.length < 2) return null;
    const most = Math.max.apply(null, known.map(function (point) { return point[2]; })) || 1;
    const width = 100 / known.length;
    const path = known.map(function (point, number) {
      const y = (24 - 22 * point[2] / most).toFixed(2);
      return (number ? "L" : "M") + (number * width).toFixed(2) + " " + y + "H" + ((number + 1) * width).toFixed(2);
    }).join("");
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const words = "Peak resident over " + known.length + " builds: " + Report.bytes(known[0][2]) + " in build " + known[0][0] +
      " at " + known[0][1] + ", " + Report.bytes(known[known.length - 1][2]) + " now";
    svg.setAttribute("viewBox", "0 0 100 25");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", words);
    [["live-area", path + "V25H0Z"], ["live-step", path]].forEach(function (shape) {
      const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
      made.setAttribute("class", shape[0]);
      made.setAttribute("d", shape[1]);
      svg.append(made);
    });
    return make("figure", { class: "live-trend" }, [svg, make("figcaption", {}, [words + "."])]);
  }

  function figures(space) {
    const head = ["", "Now", "Since last build", "Since start"].map(function (name, number) {
      return make("th", { scope: "col", class: number ? "number" : "" }, [name]);
    });
    const rows = space.rows.map(function (row) {
      return make("tr", {}, [make("th", { scope: "row" }, [row.name]), make("td", { class: "number", title: row.exact || "not known" }, [together(row.now)]),
        change(row.previous), change(row.start)]);
    });
    return make("table", {}, [make("thead", {}, [make("tr", {}, head)]), make("tbody", {}, rows)]);
  }

  function values(space) {
    if (!space.values.length) return null;
    const items = space.values.map(function (value) {
      const kind = ["live-less", "live-same", "live-more"][value.direction + 1];
      return make("li", {}, [make("span", { class: "live-kind" }, [value.kind]), make("code", {}, [value.name]),
        make("span", { class: "number " + kind }, [value.words])]);
    });
    const more = space.more ? [make("li", {}, ["and " + space.more.toLocaleString("en") + " more"])] : [];
    return make("details", { open: "" }, [make("summary", {}, ["Values at the peak, since the last build"]),
      make("ul", { class: "live-values" }, items.concat(more))]);
  }

  function isAny(words) { return words !== null && words.direction !== 0; }
  function hasChanged(space) {
    return space.values.length > 0 || space.trend.length < 2 || space.rows.some(function (row) { return isAny(row.previous) || isAny(row.start); });
  }

  function ofModule(module) {
    const parts = [make("h2", {}, [module.title]),
      make("p", { class: "live-when" }, ["Build " + module.build + " at " + module.time + ": " + module.headline + "."])];
    const shown = module.spaces.filter(hasChanged), same = module.spaces.length - shown.length;
    shown.forEach(function (space) {
      parts.push(make("h3", {}, ["Space " + space.color + " · " + space.name]), trend(space.trend), figures(space), values(space));
    });
    if (same) parts.push(make("p", { class: "live-when" }, [shown.length ? "The other spaces have not changed." : "No space has changed."]));
    return parts.filter(Boolean);
  }

  function sentence(mark) {
    const figures = mark.figures ? " The figures shown are those of " + mark.figures + "." : "";
    return (mark.state === "old" ? "Old since " : "Being written since ") + mark.since + ": " + mark.reason + "." + figures;
  }

  function list(heading, entries, words) {
    if (!entries.length) return [];
    return [make("h3", {}, [heading]), make("ul", { class: "live-list" }, entries.map(function (entry) {
      return make("li", {}, [link(entry), " ", make("span", {}, [words(entry)])]);
    }))];
  }

  function fill(news) {
    const own = news.module, ownHref = own ? own.href : null;
    const others = news.changed.filter(function (entry) { return entry.href !== ownHref; });
    const marks = news.marks.filter(function (entry) { return entry.href !== ownHref || !own; });
    const parts = own ? ofModule(own) : [make("h2", {}, ["Build " + news.build])];
    panel.replaceChildren.apply(panel, parts.concat(
      list(own ? "Also in the last build" : "Changed in this build", others, function (entry) { return entry.headline; }),
      list("Not up to date", marks, function (entry) { return sentence(entry.mark); })));
    if (!own && !others.length && !marks.length) panel.append(make("p", {}, ["Nothing has changed."]));
  }

  // The figures on the page are not those on disk: said where they are.
  function mark(news) {
    document.querySelectorAll(".live-mark, .live-badge").forEach(function (old) { old.remove(); });
    const own = news.module && news.module.mark;
    if (own) document.getElementById("main").prepend(make("p", { class: "live-mark missing", role: "note" }, [sentence(own)]));
    news.marks.forEach(function (entry) {
      const row = entry.href && document.querySelector('main a[href="' + CSS.escape(entry.href) + '"]');
      if (row) row.after(" ", make("span", { class: "live-badge severity warning", title: sentence(entry.mark) }, [entry.mark.state]));
    });
  }

  function show(news) {
    const own = news.module, built = own || { build: news.build, time: news.time };
    const isFresh = stored().build !== undefined && stored().build !== news.build;
    store({ build: news.build });
    fill(news);
    mark(news);
    if (news.said && !isFresh) return say("live", [news.said], true);
    const changed = news.changed.length === 1 ? news.changed[0].title + ": " + news.changed[0].headline : news.changed.length + " modules";
    const words = own ? own.headline : changed;
    const isOld = own ? own.mark !== null : news.marks.length > 0;
    const first = !isOld ? "" : own ? own.mark.state + " · " : news.marks.length + " not up to date · ";
    say(isOld ? "old" : "live", [make("strong", {}, [first + "Build " + built.build + ", " + built.time]), " " + words], isFresh);
  }

  Live.show = show;
  Live.tell = function (state, words) { say(state, [words], false); };
  Live.explain = function (why) { say("live", [why.charAt(0).toUpperCase() + why.slice(1) + "; this is the nearest page."], true); };
  Live.place = function () {
    document.body.append(root);
    if (stored().open) open(true);
  };
})();
