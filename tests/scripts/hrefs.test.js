import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, rowHref, valueHref } from "../../templates/scripts/hrefs.js";

const hrefs = { value: "v/{name}.html", allocation: "a/{name}.html", row: "t.html#v{name}", laterRow: "t.page-{page}.html#v{name}" };

test("a pattern is filled with what differs", () => {
  assert.equal(fill("{a}/{b}/{a}", { a: "x", b: 7 }), "x/7/x");
});

test("the first page of a table has a name of its own", () => {
  assert.deepEqual([1, 2].map((page) => rowHref(hrefs, page, { name: 3 })), ["t.html#v3", "t.page-2.html#v3"]);
});

test("a value without a page is linked to its row", () => {
  const values = /** @type {Values} */ (/** @type {unknown} */ ({ hrefs, page: ["12", [2, "13"]] }));
  assert.deepEqual([0, 1].map((number) => valueHref(values, number)), ["v/12.html", "t.page-2.html#v13"]);
});
