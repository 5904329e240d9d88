import assert from "node:assert/strict";
import { test } from "node:test";
import { boxes, scopeGroups, stack, takeovers, under, visible } from "../../templates/scripts/packing-layout.js";

// Classes: 0 parameter, 1 output, 2 constant, 3 temporary, 4 thread-local.
const allocations = {
  page: [], index: [0, 1, 2, 3, 4, 5], size: [100, 40, 30, 20, 10, 50], color: [0, 0, 0, 0, 0, 1], class: [3, 0, 2, 1, 4, 3]
};
/**
 * @param {number} first
 * @param {number} last
 * @param {number} low
 * @param {number} high
 * @param {number} [number]
 */
const box = (first, last, low, high, number = 0) => ({ number, first, last, low, high });
const view = { first: 0, last: 100, low: 0, high: 100, width: 100, height: 100 };

test("allocations of one space are stacked by class without those of a thread", () => {
  const { numbers, base, height } = stack(allocations, 0, null);
  assert.deepEqual(numbers, [1, 2, 3, 0]);
  assert.deepEqual(Object.fromEntries(base), { 1: 0, 2: 40, 3: 70, 0: 90 });
  assert.equal(height, 190);
});

test("one allocation can be stacked alone", () => {
  assert.deepEqual(stack(allocations, 0, 2), { numbers: [2], base: new Map([[2, 0]]), height: 30 });
});

test("a value is a box of its bytes and its live range, whose last moment belongs to it", () => {
  const values = /** @type {Values} */ (/** @type {unknown} */ ({
    name: ["a", "unknown range", "empty", "other space"], allocation: [0, 0, 0, 5], offset: [8, 0, 0, 0],
    size: [16, 4, 0, 4], first: [2, -1, 0, 0], last: [5, -1, 3, 3]
  }));
  assert.deepEqual(boxes(values, stack(allocations, 0, null)), [box(2, 6, 98, 114)]);
});

test("boxes of at least a pixel are shown, and none outside the view", () => {
  const large = box(0, 10, 0, 10), outside = box(100, 110, 0, 10);
  assert.deepEqual(visible([large, outside], view, () => "").shown, [large]);
});

test("thinner boxes of one style in one row of pixels are merged and counted", () => {
  const thin = [box(0, 10, 5, 5.25), box(10, 20, 5.5, 5.75), box(60, 70, 5, 5.5)];
  const found = visible(thin, view, () => "s");
  assert.deepEqual(found.runs, [
    { first: 0, last: 20, low: 5, high: 6.5, style: "s" }, { first: 60, last: 70, low: 5, high: 6, style: "s" }
  ]);
  assert.deepEqual([found.shown, found.merged], [[], 3]);
});

test("boxes of different styles are not merged", () => {
  const thin = [box(0, 10, 5, 5.25, 1), box(10, 20, 5, 5.25, 2)];
  assert.equal(visible(thin, view, ({ number }) => String(number)).runs.length, 2);
});

test("what is always drawn is drawn, however thin", () => {
  const thin = { ...box(0, 10, 5, 5.25), always: true };
  assert.deepEqual(visible([thin], view, () => "").shown, [thin]);
});

test("a takeover has exactly the bytes of the box that ends as it begins", () => {
  const before = box(0, 5, 0, 8), after = box(4, 9, 0, 8), other = box(4, 9, 0, 4), later = box(20, 30, 0, 8);
  assert.deepEqual(takeovers([later, after, before, other]), [after]);
});

test("of several boxes under a point the one defined last is found", () => {
  const first = box(0, 10, 0, 10, 1), second = box(2, 8, 0, 10, 2);
  assert.equal(under([second, first], 5, 5, 1, 1), second);
  assert.equal(under([first, second], 1, 5, 0.5, 0.5), first);
});

test("a point near a box finds it, a point far away finds none", () => {
  const thin = box(0, 10, 5, 6);
  assert.equal(under([thin], 5, 7.5, 2, 2), thin);
  assert.equal(under([thin], 5, 9, 2, 2), null);
});

test("scopes are cut where no group covers half of the area, and numbered siblings are one group", () => {
  const scopes = ["", "jit/f/layer_1/dot", "jit/f/layer_2/dot", "jit/f/layer_1/add", "jit/g", "jit/h/layer_1/exp"];
  const areas = new Map([[1, 10], [2, 10], [3, 15], [4, 10], [5, 10]]);
  assert.deepEqual(scopeGroups(scopes, areas),
    ["", "jit/f/layer_*/dot", "jit/f/layer_*/dot", "jit/f/layer_*/add", "jit/g", "jit/h/layer_*/exp"]);
});
