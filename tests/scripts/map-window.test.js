import assert from "node:assert/strict";
import { test } from "node:test";
import { among, around, clamped, panned, zoomed } from "../../templates/scripts/map-window.js";

const all = { first: 0, last: 1000, low: 0, high: 4096 };
const middle = { first: 400, last: 600, low: 1024, high: 2048 };

test("zooming in and out about a point keeps the point where it is", () => {
  const inside = zoomed(middle, all, 0.5, { moment: 400, byte: 1024 });
  assert.deepEqual(inside, { first: 400, last: 500, low: 1024, high: 1536 });
  assert.deepEqual(zoomed(inside, all, 2, { moment: 400, byte: 1024 }), middle);
});

test("nothing outside the map is ever shown", () => {
  assert.deepEqual(zoomed(middle, all, 100), all);
  assert.deepEqual(panned(middle, all, 50, -50), { first: 800, last: 1000, low: 0, high: 1024 });
});

test("a window never becomes empty, nor larger than a small map", () => {
  assert.deepEqual(clamped({ first: 5, last: 5, low: 9, high: 9 }, all), { first: 5, last: 7, low: 9, high: 25 });
  assert.deepEqual(clamped({ first: 0, last: 9, low: 0, high: 9 }, { first: 0, last: 1, low: 0, high: 4 }),
    { first: 0, last: 1, low: 0, high: 4 });
});

test("a box is shown with its surroundings", () => {
  const shown = around({ first: 500, last: 510, low: 512, high: 1024 }, all);
  assert.ok(shown.first < 500 && shown.last > 510 && shown.low < 512 && shown.high > 1024);
});

test("a thin box among its neighbors fills a part of the height that can be seen", () => {
  const shown = among({ first: 500, last: 510, low: 512, high: 576 }, { ...all, high: 2 ** 40 });
  assert.ok((576 - 512) / (shown.high - shown.low) >= 1 / 25);
});
