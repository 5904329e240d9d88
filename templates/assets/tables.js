// Sorting by a click on a column's head: numbers by their exact value, the rest as text.
(function () {
  "use strict";
  function key(row, column) {
    var cell = row.cells[column];
    var data = cell.querySelector("data");
    if (data) return Number(data.value);
    var text = cell.textContent.trim();
    return text === "–" ? -Infinity : text;
  }
  function compare(one, other) {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === "number") return -1;
    if (typeof other === "number") return 1;
    return one.localeCompare(other, undefined, { numeric: true });
  }
  function sort(table, column, descending) {
    var body = table.tBodies[0];
    var rows = Array.from(body.rows, function (row) { return { row: row, key: key(row, column) }; });
    rows.sort(function (one, other) {
      var order = compare(one.key, other.key);
      return descending ? -order : order;
    });
    rows.forEach(function (entry) { body.appendChild(entry.row); });
    Array.from(table.tHead.rows[0].cells, function (head, number) {
      if (number === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
  }
  function makeSortable(table) {
    Array.from(table.tHead.rows[0].cells, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      if (head.querySelector("a")) {
        // The name of the column leads to its definition, so the sign beside it sorts.
        button.textContent = " ⇅";
        button.setAttribute("aria-label", "Sort by " + head.textContent.trim());
        head.appendChild(button);
      } else {
        button.append.apply(button, Array.from(head.childNodes));
        head.appendChild(button);
      }
      button.addEventListener("click", function () {
        var state = head.getAttribute("aria-sort");
        var descending = state ? state === "ascending" : head.classList.contains("number");
        sort(table, column, descending);
      });
    });
  }
  document.querySelectorAll("table.sortable").forEach(makeSortable);
})();
