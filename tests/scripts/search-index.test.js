import assert from "node:assert/strict";
import { test } from "node:test";
import { find, ofAllocations, ofGroups, ofInstructions, ofLines, ofModules, ofValues } from "../../templates/scripts/search-index.js";

const values = /** @type {Values} */ (/** @type {unknown} */ ({
  hrefs: { filtered: "explore.html#{name}={value}", allocation: "explore.html#a{name}", value: "explore.html#v{name}" },
  id: ["1", "2", "3", "4"],
  name: ["fusion", "fusion.1", "big_fusion", "Copy"],
  index: ["", "{0}", "", ""],
  size: [8, 16, 512, 1024],
  opcode: [0, 0, 0, 1], opcodes: ["fusion", "copy"],
  scope: [0, 1, 1, 0], scopes: ["", "mlp/Dense"],
  source: [0, 0, 0, 1], sources: ["", "model.py:12"],
  shape: [0, 1, 1, 0], shapes: ["f32[4]", "bf16[8,128]"], classes: ["parameter", "temporary"], kinds: ["parameter 0"],
  spaces: { 0: "HBM" }, allocations: { id: ["7"], index: [7], size: [64], color: [0], class: [0], kind: [0] }
}));
const index = ofValues(values);
const names = (/** @type {string} */ query) => find([index], query).results.map(({ name }) => name);

test("an exact name comes first, then names that begin with the word, then the rest", () => {
  assert.deepEqual(names("fusion"), ["fusion", "fusion.1{0}", "big_fusion"]);
});

test("upper and lower case are the same", () => assert.deepEqual(names("COPY"), ["Copy"]));

test("every word must be found, in the name or in another field", () => {
  assert.deepEqual(names("dense fusion"), ["big_fusion", "fusion.1{0}"]);
  assert.deepEqual(names("dense copy"), []);
});

test("a result names the field that was found, and leads to the view of the value", () => {
  const [result] = find([index], "model.py").results;
  assert.deepEqual([result.reason, result.href], ["source model.py:12", "explore.html#v4"]);
});

test("a query without words finds nothing", () => assert.deepEqual(find([index], "  "), { total: 0, results: [] }));

test("at most 50 results are returned, the largest, and all are counted", () => {
  const count = 120, row = Array.from({ length: count }, (_, number) => number);
  const modules = /** @type {Modules} */ (/** @type {unknown} */ ({
    name: row.map((number) => `jit_step_${number}`), path: row.map(() => "dumps"), backend: row.map(() => "tpu"),
    size: row, href: row.map((number) => `m/${number}/index.html`)
  }));
  const { total, results } = find([ofModules(modules, "../../")], "step");
  assert.deepEqual([total, results.length, results[0].href], [count, 50, "../../m/119/index.html"]);
});

test("instructions lead to their rows of the schedule", () => {
  const hrefs = { row: "explore.html#view=instructions&moment={moment}" };
  const instructions = ofInstructions({ hrefs, name: ["add", "while"], moment: [3, 1500] });
  assert.equal(find([instructions], "while").results[0].href, "explore.html#view=instructions&moment=1500");
});

test("a word for the shape and a word for the name combine", () => {
  assert.deepEqual(names("bf16 big"), ["big_fusion"]);
  assert.equal(find([index], "f32 copy").results[0].reason, "shape f32[4]");
});

test("a source line leads to its place in its file or, without a page, to its values", () => {
  const lines = ofLines(/** @type {Values} */ (/** @type {unknown} */ ({
    hrefs: { line: "source-{page}.html#L{number}", filtered: "explore.html#{name}={value}" },
    lines: { line: ["/lab/train.py:41", "/lab/train.py:4", "/lab/other.py:41"], size: [1024, 4096, 8], page: [2, 2, 0] }
  })));
  const found = (/** @type {string} */ query) => find([lines], query).results.map(({ name, href, amount }) => [name, href, amount]);
  assert.deepEqual(found("train.py:41"), [["train.py:41", "source-2.html#L41", "1.00 KiB"]]);
  assert.deepEqual(found("train.py").map(([name]) => name), ["train.py:4", "train.py:41"]);
  assert.equal(found("other.py:41")[0][1], "explore.html#source=%2Flab%2Fother.py%3A41");
  assert.equal(found("lab/other").length, 1);
});

test("opcodes, shapes and source files lead to the values that have them", () => {
  const [result] = find(ofGroups(values), "model").results;
  assert.deepEqual([result.kind, result.name, result.amount, result.href],
    ["source", "model.py", "1 value", "explore.html#source=model.py"]);
  assert.equal(find(ofGroups(values), "bf16").results[0].href, "explore.html#shape=bf16%5B8%2C128%5D");
});

test("allocations are found by kind, class and space", () => {
  const allocations = ofAllocations(values);
  ["allocation 7", "parameter", "hbm"].forEach((query) =>
    assert.deepEqual(find([allocations], query).results.map(({ href }) => href), ["explore.html#a7"]));
});

test("a long scope keeps its end", () => {
  const long = /** @type {Values} */ ({ ...values, scopes: ["", `${"level/".repeat(40)}softmax`] });
  const [{ reason }] = find([ofValues(long)], "softmax").results;
  assert.ok(reason.startsWith("…") && reason.endsWith("/softmax") && reason.length <= 120);
});
