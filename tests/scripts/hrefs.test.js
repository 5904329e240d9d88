import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, rowHref, valueHref } from "../../templates/scripts/hrefs.js";

const hrefs = { row: "t.html#v{name}", laterRow: "t.page-{page}.html#v{name}" };

test("a pattern is filled with what differs", () => {
  assert.equal(fill("{a}/{b}/{a}", { a: "x", b: 7 }), "x/7/x");
});

test("the first page of a table has a name of its own", () => {
  assert.deepEqual([1, 2].map((page) => rowHref(hrefs, page, { name: 3 })), ["t.html#v3", "t.page-2.html#v3"]);
});

test("a value is linked to its section on a page", () => {
  const values = /** @type {Values} */ (/** @type {unknown} */ ({
    hrefs: { value: "v/{page}.html#v{name}" }, id: ["12", "13-again-1"], page: [0, 0], pages: ["12"]
  }));
  assert.deepEqual([0, 1].map((number) => valueHref(values, number)), ["v/12.html#v12", "v/12.html#v13-again-1"]);
});
