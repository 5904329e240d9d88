import assert from "node:assert/strict";
import { test } from "node:test";
import { inkOn, labelsOf } from "../../templates/scripts/map-words.js";

const values = /** @type {Values} */ (/** @type {unknown} */ ({
  name: ["a", "b", "c", "d"], scope: [1, 0, 0, 0], scopes: ["", "jit(f)/jvp()/mlp/dot"], label: [0, 1, 0, 0], labels: ["", "argument 3"],
  source: [0, 0, 1, 1], sources: ["", "/src/model.py:7"]
}));
const view = { first: 0, last: 10, low: 0, high: 100, width: 1000, height: 400 };
const box = (/** @type {number} */ number, /** @type {number} */ first, /** @type {number} */ last, /** @type {number} */ high, opacity = 1) =>
  ({ number, first, last, low: 0, high, opacity });

test("what has room has its name without what JAX adds, inside the part that is shown", () => {
  const found = labelsOf(values, [box(1, 0, 1, 50), box(0, -5, 5, 200)], view, () => "#ffffff");
  assert.deepEqual(found.map(({ label, first, middle, room }) => [label, first, middle, room]), [["mlp/dot", 0, 50, 492], ["argument 3", 0, 25, 92]]);
});

test("what is narrow, thin or dimmed has no name", () => {
  assert.deepEqual(labelsOf(values, [box(2, 0, 0.4, 50), box(2, 0, 5, 3), box(3, 0, 5, 50, 0.2)], view, () => "#ffffff"), []);
});

test("a name has its source line where that has room", () => {
  const found = labelsOf(values, [box(2, 0, 5, 50), box(3, 0, 0.9, 90)], view, () => "#ffffff");
  assert.deepEqual(found.map(({ label }) => label), ["c · model.py:7", "d"]);
});

test("values of one name in the same bytes are named once, where there is most room", () => {
  const same = { ...values, name: ["c", "c", "c", "c"] };
  const found = labelsOf(same, [box(2, 0, 3, 50), box(3, 3, 9, 50)], view, () => "#ffffff");
  assert.deepEqual(found.map(({ label, first }) => [label, first]), [["c · model.py:7", 3]]);
});

test("text stands out from its color", () => {
  assert.deepEqual(["rgb(0, 114, 178)", "rgb(230, 159, 0)", "#3b4cc0", "#ffffff"].map(inkOn), ["#ffffff", "#000000", "#ffffff", "#000000"]);
});
