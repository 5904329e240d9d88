// Data, loaded when it is first needed: a script element, because a page from file:// may not fetch.
// `Report.load(name)` gives a promise of a module's shard; the folder comes from <html data-shards="…">.
// `Report.loadModules()` gives one of all modules, whose shard lies at the site's root, <html data-root="…">.
(function () {
  "use strict";
  var waiting = {};
  window.Report = {
    put: function (name, data) { waiting[name].resolve(data); },
    root: document.documentElement.dataset.root,
    loadModules: function () { return window.Report.load("modules", window.Report.root + "data/"); },
    load: function (name, folder) {
      if (waiting[name]) return waiting[name].promise;
      var entry = waiting[name] = {};
      entry.promise = new Promise(function (resolve, reject) { entry.resolve = resolve; entry.reject = reject; });
      var script = document.createElement("script");
      script.src = (folder === undefined ? document.documentElement.dataset.shards : folder) + name + ".js";
      script.onerror = function () { entry.reject(new Error("cannot load " + script.src)); };
      document.head.append(script);
      return entry.promise;
    },
    // A value's page or, where it has none, its row in the table of values; from the module's folder.
    valueHref: function (values, number) {
      var page = values.page[number];
      if (typeof page === "string") return "v/" + page + ".html";
      return "values" + (page[0] === 1 ? "" : ".page-" + page[0]) + ".html#v" + page[1];
    },
    // 2.52 GiB, as the pages write it.
    bytes: function (size) {
      var units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
      if (Math.abs(size) < 1024) return size + " B";
      var unit = -1;
      do { size /= 1024; unit += 1; } while (Math.abs(size) >= 1023.995 && unit < units.length - 1);
      return size.toFixed(2) + " " + units[unit];
    }
  };
})();
