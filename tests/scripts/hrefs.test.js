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

test("a value is linked to its view", () => {
  const values = /** @type {Values} */ (/** @type {unknown} */ ({
    hrefs: { value: "explore.html#v{name}" }, id: ["12", "13-again-1"]
  }));
  assert.deepEqual([0, 1].map((number) => valueHref(values, number)), ["explore.html#v12", "explore.html#v13-again-1"]);
});
