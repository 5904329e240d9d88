import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, changedKeys, format, isAnchor, parse } from "../../templates/scripts/fragment.js";

test("choices survive the way through the URL", () => {
  const choices = { space: "0", find: "a=b & c/d #1", filter: "größe 10 %" };
  assert.deepEqual(parse(format(choices)), choices);
});

test("a fragment without an equals sign is an anchor, and none is no anchor", () => {
  assert.deepEqual(["findings", "a=1", ""].map(isAnchor), [true, false, false]);
});

test("null and an empty text remove a choice; numbers become text", () => {
  assert.deepEqual(changed({ a: "1", b: "2", c: "3" }, { a: null, b: "", d: 0 }), { c: "3", d: "0" });
});

test("only keys whose values differ have changed", () => {
  assert.deepEqual(changedKeys({ a: "1", b: "2" }, { b: "2", a: "3", c: "4" }).sort(), ["a", "c"]);
});
