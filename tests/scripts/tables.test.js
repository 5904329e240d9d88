import assert from "node:assert/strict";
import { test } from "node:test";
import { cellKey } from "../../templates/scripts/tables.js";

/** Return a cell without `<data>`. */
const cell = (/** @type {string} */ textContent) =>
  /** @type {HTMLTableCellElement} */ (/** @type {unknown} */ ({ textContent, querySelector: () => null }));

test("a cell is sorted by its number, a range by both of its numbers, and anything else by its text", () => {
  assert.equal(cellKey(cell(" 1,230 ")), 1230);
  assert.equal(cellKey(cell("1,230 to 12,304")), "1230 to 12304");
  assert.equal(cellKey(cell("–")), -Infinity);
  assert.equal(cellKey(cell("1,230 bytes")), "1,230 bytes");
});
