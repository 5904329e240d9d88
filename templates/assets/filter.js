// The filter box of a table, `<input data-filter-of="id of the table">`: shows the rows that hold every word
// in the columns marked `data-filtered`, says how many those are, and keeps the words in the fragment.
(function () {
  "use strict";
  const REST = 200;

  function texts(table) {
    const columns = Array.from(table.tHead.rows[0].cells).filter(function (head) {
      return head.hasAttribute("data-filtered");
    }).map(function (head) { return head.cellIndex; });
    return new Map(Array.from(table.tBodies[0].rows, function (row) {
      return [row, columns.map(function (column) { return row.cells[column].textContent; }).join("\n").toLowerCase()];
    }));
  }

  function makeFilter(box) {
    const table = document.getElementById(box.dataset.filterOf);
    const count = document.querySelector('[data-count-of="' + table.id + '"]');
    let known = null, timer = 0;

    function show(query) {
      known = known || texts(table);
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      known.forEach(function (text, row) {
        row.hidden = !words.every(function (word) { return text.includes(word); });
        if (!row.hidden) shown += 1;
      });
      count.textContent = shown.toLocaleString("en") + " of " + Number(table.dataset.rows).toLocaleString("en") + " rows shown";
    }

    // The rows follow at once, the address when the reader rests: browsers limit how often it may change.
    box.addEventListener("input", function () {
      show(box.value);
      clearTimeout(timer);
      timer = setTimeout(function () { State.set({ filter: box.value.trim() }, { replace: true }); }, REST);
    });

    function restore() {
      const query = State.get("filter") || "";
      if (box.value.trim() === query && known) return;
      box.value = query;
      show(query);
    }

    State.onChange(function (keys) { if (keys.includes("filter")) restore(); });
    if (State.get("filter")) restore();
  }

  document.querySelectorAll("input[data-filter-of]").forEach(makeFilter);
})();
