import assert from "node:assert/strict";
import { test } from "node:test";
import { isWithin, scopeAt, scopeTree } from "../../templates/scripts/scope-tree.js";

const NAMES = { unknown: "no scope", reserved: "reserved" };
const values = /** @type {Values} */ (/** @type {unknown} */ ({
  scopes: ["", "jit(f)/main/mlp/dot", "jit(f)/main/mlp/add", "p['w']"], scope: [1, 1, 2, 3, 0],
  classes: ["parameter", "temporary"], allocation: [1, 1, 1, 0, 1], allocations: { class: [0, 1] }
}));
const owned = new Map([[0, 10], [1, 20], [2, 5], [3, 40], [4, 7]]);

/** @param {import("../../templates/scripts/scope-tree.js").Scope} scope @returns {unknown[]} */
const shown = ({ name, size, children }) => [name, size, ...children.map(shown)];

test("the tree has each byte once, joins lone children and sorts by bytes", () => {
  const tree = scopeTree(values, owned, 3, NAMES);
  assert.deepEqual(shown(tree), ["", 85, ["p['w']", 40], ["jit(f)/main/mlp", 35, ["dot", 30], ["add", 5]], ["no scope", 7], ["reserved", 3]]);
  assert.deepEqual([...tree.classes], [["temporary", 42], ["parameter", 40]]);
});

test("a scope is found by its path, and its values by theirs", () => {
  const tree = scopeTree(values, owned, 3, NAMES);
  assert.equal(scopeAt(tree, "jit(f)/main/mlp").size, 35);
  assert.equal(scopeAt(tree, "elsewhere").size, 85);
  assert.deepEqual(values.scopes.map(isWithin("jit(f)/main/mlp")), [false, true, true, false]);
  assert.deepEqual(values.scopes.map(isWithin("p")), [false, false, false, true]);
  assert.deepEqual(values.scopes.map(isWithin("jit(f)/main/ml")), [false, false, false, false]);
  assert.ok(values.scopes.every(isWithin(null)));
});

test("siblings whose names differ in numbers only are one node, as in the peak's icicle", () => {
  const layers = /** @type {Values} */ (/** @type {unknown} */ ({
    ...values, scopes: ["f/layer_0/w1/dot", "f/layer_12/w1/dot", "f/layer_12/w2", "f/head_3/b", "f.1/x"], scope: [0, 1, 2, 3, 4]
  }));
  const tree = scopeTree(layers, owned, 0, NAMES);
  assert.deepEqual(shown(tree), ["", 82,
    ["f", 75, ["head_3/b", 40], ["layer_#", 35, ["w#", 35, ["dot", 30]]]], ["f.1/x", 7]]);
  assert.equal(scopeAt(tree, "f/layer_#/w#").size, 35);
  assert.equal(scopeAt(tree, "f/head_#").path, "f/head_3/b");
  assert.deepEqual(layers.scopes.map(isWithin("f/layer_#/w#")), [true, true, true, false, false]);
  assert.deepEqual(layers.scopes.map(isWithin("f/layer_#/w1")), [true, true, false, false, false]);
  assert.deepEqual(layers.scopes.map(isWithin("f.1")), [false, false, false, false, true]);
});
