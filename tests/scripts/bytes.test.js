import assert from "node:assert/strict";
import { test } from "node:test";
import { byteTicks, humanBytes } from "../../templates/scripts/bytes.js";
import { cases } from "./cases.js";

const { human, ticks } = cases("bytes");

test("sizes read as Python writes them", () => {
  for (const [size, words] of human) assert.equal(humanBytes(size), words);
});

test("ticks are where Python puts them", () => {
  for (const [limit, places, unit_bytes, unit] of ticks) {
    assert.deepEqual(byteTicks(limit), { ticks: places, unit_bytes, unit });
  }
});

test("the ticks of an axis reach its limit", () => {
  for (let limit = 4; limit < 2 ** 50; limit = Math.ceil(limit * 1.7)) {
    const { ticks: places } = byteTicks(limit);
    assert.ok(places[places.length - 1] >= limit && places.length <= 9, `${limit}: ${places}`);
  }
});
