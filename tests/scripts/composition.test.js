import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesByValue, residentAt } from "../../templates/scripts/composition.js";
import { cases } from "./cases.js";

/** @param {[number, number, number, number][]} rows */
const columns = (rows) => /** @type {Values} */ (/** @type {unknown} */ ({
  name: rows.map((_, number) => `v${number}`),
  allocation: rows.map(() => 0),
  offset: rows.map((row) => row[0]),
  size: rows.map((row) => row[1]),
  first: rows.map((row) => row[2]),
  last: rows.map((row) => row[3]),
  allocations: { color: [0], class: [0] },
  classes: ["temporary"]
}));

for (const { name, moment, values, bytes } of cases("composition").cases) {
  test(name, () => {
    const all = columns(values);
    assert.deepEqual(Object.fromEntries(bytesByValue(all, residentAt(all, 0, moment))), bytes);
  });
}

test("nothing is live in another space", () => {
  assert.deepEqual(residentAt(columns([[0, 64, 0, 2]]), 1, 1), []);
});
