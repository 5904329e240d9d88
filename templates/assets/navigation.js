// Where the keys lead: the search, the tabs, the rows of a table, the page or module before and after.
(function () {
  "use strict";
  function focusSearch() {
    const box = document.getElementById("search");
    box.focus();
    box.select();
  }

  // The link to a neighbouring page, where the page is one of several; else the neighbouring module.
  function toNeighbour(step) {
    const links = document.querySelector('a[rel="prev"], a[rel="next"]');
    if (!links) return toModule(step);
    const link = document.querySelector(step < 0 ? 'a[rel="prev"]' : 'a[rel="next"]');
    if (link) link.click();
  }

  function folderOf(href) { return new URL(Report.root + href.slice(0, href.lastIndexOf("/") + 1), location.href).href; }

  // The same view of the module before or after this one, in the order of the overview.
  function toModule(step) {
    if (document.documentElement.dataset.shards === undefined) return;
    Report.loadModules().then(function (modules) {
      const here = modules.href.findIndex(function (href) { return location.href.startsWith(folderOf(href)); });
      const there = modules.href[here + step];
      if (here < 0 || there === undefined) return;
      const tab = document.querySelector("nav.tabs a[aria-current]");
      location.href = folderOf(there) + (tab ? tab.getAttribute("href").split("/").pop() : "index.html");
    });
  }

  // The first link of each visible row of the table that has the focus, or of the page's first table.
  function rowLinks() {
    const table = document.activeElement.closest("table") || document.querySelector("main table.sortable");
    const rows = table ? Array.from(table.tBodies[0].rows) : [];
    return rows.filter(function (row) { return !row.hidden; }).map(function (row) {
      return row.querySelector("a[href]");
    }).filter(Boolean);
  }

  function toRow(step) {
    const links = rowLinks();
    const row = document.activeElement.closest("tbody tr");
    const here = links.findIndex(function (link) { return row && row.contains(link); });
    const there = links[here < 0 ? 0 : Math.min(links.length - 1, Math.max(0, here + step))];
    if (!there) return;
    there.focus();
    there.scrollIntoView({ block: "nearest" });
  }

  Keys.add("/", "Search", focusSearch);
  document.querySelectorAll("nav.tabs a").forEach(function (tab, number) {
    Keys.add(String(number + 1), tab.textContent, function () { tab.click(); });
  });
  const isOfModule = document.documentElement.dataset.shards !== undefined;
  if (isOfModule || document.querySelector('a[rel="prev"], a[rel="next"]')) {
    Keys.add("[", isOfModule ? "Previous page or module" : "Previous page", function () { toNeighbour(-1); });
    Keys.add("]", isOfModule ? "Next page or module" : "Next page", function () { toNeighbour(1); });
  }
  if (rowLinks().length) {
    Keys.add("j", "Next row", function () { toRow(1); });
    Keys.add("k", "Previous row", function () { toRow(-1); });
  }
  Keys.add("t", "Light or dark", function () { document.getElementById("theme-switch").click(); });
})();
