// Where the table of modules takes several pages: on which other pages the filter finds something.
(function () {
  "use strict";
  const place = document.getElementById("other-pages");
  const own = Number(place.dataset.page);

  // How many modules match on each page but this one.
  function counts(modules, words) {
    const found = new Map();
    modules.name.forEach(function (name, number) {
      const text = (name + "\n" + modules.backend[number] + "\n" + modules.path[number]).toLowerCase();
      const page = modules.page[number];
      if (page !== own && words.every(function (word) { return text.includes(word); })) {
        found.set(page, (found.get(page) || 0) + 1);
      }
    });
    return found;
  }

  function link(page, count) {
    const made = document.createElement("a");
    made.href = (page === 1 ? "index.html" : "modules.page-" + page + ".html") + location.hash;
    made.textContent = count.toLocaleString("en") + " on page " + page;
    return made;
  }

  function show() {
    const query = State.get("filter");
    place.replaceChildren();
    if (!query) return;
    Report.loadModules().then(function (modules) {
      if (State.get("filter") !== query) return;
      const found = counts(modules, query.toLowerCase().split(/\s+/).filter(Boolean));
      if (found.size) place.append("and modules elsewhere: ");
      found.forEach(function (count, page) { place.append(link(page, count), " "); });
    });
  }

  State.onChange(function (keys) { if (keys.includes("filter")) show(); });
  show();
})();
