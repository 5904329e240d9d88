// Sorting by a click on a column's head: numbers by their exact value, the rest as text.
// The choice stands in the fragment: `#sort=3d` is the first table by its fourth column, descending, and
// `sort-2`, `sort-3`, … are the tables after it. Going back restores the order before.
(function () {
  "use strict";
  function key(row, column) {
    const cell = row.cells[column];
    const data = cell.querySelector("data");
    if (data) return Number(data.value);
    const text = cell.textContent.trim();
    return text === "–" ? -Infinity : text;
  }

  function compare(one, other) {
    if (typeof one === "number" && typeof other === "number") return one - other;
    if (typeof one === "number") return -1;
    if (typeof other === "number") return 1;
    return one.localeCompare(other, undefined, { numeric: true });
  }

  function inOrder(rows, order) {
    const keyed = rows.map(function (row) { return { row: row, key: key(row, order.column) }; });
    keyed.sort(function (one, other) {
      const difference = compare(one.key, other.key);
      return order.descending ? -difference : difference;
    });
    return keyed.map(function (entry) { return entry.row; });
  }

  // `3d` → {column: 3, descending: true}; null for what is no order of the table.
  function parse(text, columns) {
    const found = /^(\d+)([ad])$/.exec(text || "");
    return found && Number(found[1]) < columns ? { column: Number(found[1]), descending: found[2] === "d" } : null;
  }

  function button(head) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "sort";
    if (head.querySelector("a")) {
      // The name of the column leads to its definition, so the sign beside it sorts.
      made.textContent = " ⇅";
      made.setAttribute("aria-label", "Sort by " + head.textContent.trim());
    } else {
      made.append.apply(made, Array.from(head.childNodes));
    }
    head.appendChild(made);
    return made;
  }

  function makeSortable(table, number) {
    const name = number ? "sort-" + (number + 1) : "sort";
    const heads = Array.from(table.tHead.rows[0].cells);
    const asWritten = Array.from(table.tBodies[0].rows);
    const signs = heads.map(function (head) { return head.getAttribute("aria-sort"); });

    function show() {
      const order = parse(State.get(name), heads.length);
      table.tBodies[0].append.apply(table.tBodies[0], order ? inOrder(asWritten, order) : asWritten);
      heads.forEach(function (head, column) {
        const sign = order ? (column === order.column ? (order.descending ? "descending" : "ascending") : null) : signs[column];
        if (sign) head.setAttribute("aria-sort", sign);
        else head.removeAttribute("aria-sort");
      });
    }

    function choose(head, column) {
      const sign = head.getAttribute("aria-sort");
      const descending = sign ? sign === "ascending" : head.classList.contains("number");
      State.set({ [name]: column + (descending ? "d" : "a") });
    }

    heads.forEach(function (head, column) {
      button(head).addEventListener("click", function () { choose(head, column); });
    });
    State.onChange(function (keys) { if (keys.includes(name)) show(); });
    if (State.get(name)) show();
  }

  document.querySelectorAll("table.sortable").forEach(makeSortable);
})();
