import assert from "node:assert/strict";
import { test } from "node:test";
import { allocationSource, csv, groupSource, ordered, scheduleSource, valueKeys, valueTest } from "../../templates/scripts/table-rows.js";

const values = /** @type {Values} */ (/** @type {unknown} */ ({
  id: ["0", "1", "2", "3"], name: ["p", "fusion.9", "fusion.10", "copy"], index: ["", "", "{0}", ""],
  allocation: [0, 1, 1, 2], offset: [0, 8, 0, 0], size: [16, 8, 8, 4], padding: [0, 4, 0, 0],
  first: [0, 1, 2, -1], last: [3, 2, 3, -1], reads: [[1], [2], [3], []], unusualDense: { 3: null },
  classes: ["parameter", "temporary"],
  unusualBuffer: { 2: 1 }, looks: {},
  opcode: [0, 1, 1, 2], opcodes: ["parameter", "fusion", "copy"],
  relation: [0, 0, 1, 0], relations: ["", "read by"],
  scope: [0, 1, 2, 0], scopes: ["", "jit/mlp/dot", "jit/attention/dot"],
  shortScopes: ["", "mlp/dot", "attention/dot"],
  label: [1, 0, 0, 0], labels: ["", "argument 3"],
  source: [0, 1, 1, 0], sources: ["", "model.py:12"],
  shape: [0, 1, 1, 0], shapes: ["f32[4]", "bf16[8,128]"],
  kinds: ["parameter 0", "preallocated temp"], spaces: { 0: "HBM", 1: "VMEM" }, conflicting: [],
  allocations: { id: ["0", "1", "2"], index: [0, 1, 2], size: [16, 16, 4], color: [0, 0, 1], class: [0, 1, 1], kind: [0, 1, 1] }
}));
const timeline = /** @type {Timeline} */ ({
  names: ["p", "fusion.9", "fusion.10", ""],
  recomputes: { 2: "fusion.9" },
  spaces: { 0: { static: 16, live: { moments: [0, 2], amounts: [16, 24] }, temp: { moments: [0], amounts: [0] } } }
});
const passing = (/** @type {Record<string, string>} */ filters) => [0, 1, 2, 3].filter(valueTest(values, filters));

test("each filter keeps the values that have what it asks for", () => {
  assert.deepEqual(passing({ space: "1" }), [3]);
  assert.deepEqual(passing({ class: "temporary" }), [1, 2, 3]);
  assert.deepEqual(passing({ opcode: "fusion" }), [1, 2]);
  assert.deepEqual(passing({ scope: "DOT mlp" }), [1]);
  assert.deepEqual(passing({ scope: "argument 3" }), [0]);
  assert.deepEqual(passing({ scope: "copy" }), [3]);
  assert.deepEqual(passing({ source: "model" }), [1, 2]);
  assert.deepEqual(passing({ shape: "bf16 128" }), [1, 2]);
});

test("values are asked for by the instruction at which they are there, and by their padding", () => {
  assert.deepEqual(passing({ moment: "2" }), [0, 1, 2]);
  assert.deepEqual(passing({ moment: "0", space: "0" }), [0]);
  assert.deepEqual(passing({ padded: "yes" }), [1]);
});

test("several filters combine, and empty ones keep everything", () => {
  assert.deepEqual(passing({ opcode: "fusion", scope: "attention" }), [2]);
  assert.deepEqual(passing({ space: "", class: "", opcode: "", scope: "", source: "", shape: "" }), [0, 1, 2, 3]);
});

test("values of one operation, line, shape and class are a row, whose bytes are those of its buffers", () => {
  const alike = /** @type {Values} */ ({ ...values, scope: [0, 1, 1, 0], relation: [0, 0, 0, 0] });
  const { rows, all, count, keys, filter } = groupSource(alike);
  assert.deepEqual(rows.map(({ numbers, buffers, size }) => [numbers, buffers, size]), [[[0], [0], 16], [[1, 2], [1], 8], [[3], [3], 4]]);
  assert.deepEqual([all, count(rows), count(filter({ opcode: "fusion" }))], [4, 4, 2]);
  assert.deepEqual(rows.map(keys.members), [1, 2, 1]);
  const apart = groupSource(/** @type {Values} */ ({ ...alike, unusualBuffer: {} }));
  assert.deepEqual(apart.rows.map(({ size }) => size), [16, 16, 4]);
});

test("the dense size is the size without padding unless the data says otherwise", () => {
  assert.deepEqual([0, 1, 2, 3].map(valueKeys(values).dense), [16, 4, 8, -Infinity]);
});

test("texts sort in natural order and numbers by amount; equal rows keep their order", () => {
  const keys = valueKeys(values), rows = [0, 1, 2, 3];
  assert.deepEqual(ordered(rows, keys.value, false), [3, 1, 2, 0]);
  assert.deepEqual(ordered(rows, keys.size, true), [0, 1, 2, 3]);
  assert.deepEqual(ordered(rows, keys.size, false), [3, 1, 2, 0]);
});

test("allocations are asked for by their own space and class, and by what their values are", () => {
  const { filter, keys } = allocationSource(values);
  assert.deepEqual(filter({ space: "0" }), [0, 1]);
  assert.deepEqual(filter({ opcode: "fusion" }), [1]);
  assert.deepEqual([0, 1, 2].map(keys.values), [1, 2, 1]);
});

test("the schedule knows what each moment defines, uses last and keeps live", () => {
  const { rows, filter, keys } = scheduleSource(values, timeline, "0");
  assert.deepEqual(rows, [0, 1, 2]);
  assert.deepEqual(filter({ scope: "mlp" }), [1]);
  assert.deepEqual([keys.defines(2), keys["last-use"](1), keys.opcode(1), keys["live-0"](1), keys.change(1)], ["fusion.10{0}", "p", "fusion", 16, 0]);
});

test("CSV quotes what it must, leaves unknown amounts empty and never holds a formula", () => {
  assert.equal(csv(["a", "b"], [["x,\"y\"", -Infinity], ["=1+1", 5]]), "a,b\r\n\"x,\"\"y\"\"\",\r\n'=1+1,5\r\n");
});

test("an instruction that recomputes another leads to it", () => {
  const { drawn } = scheduleSource(values, timeline, "0");
  assert.deepEqual(drawn.step(2), ["fusion.10", 2, "fusion.9", 1]);
  assert.deepEqual(drawn.step(1), ["fusion.9", 1, undefined, undefined]);
});
