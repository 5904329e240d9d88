import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, pathParts } from "../../templates/scripts/op-names.js";
import { cases } from "./cases.js";

for (const { scope, parts } of cases("op_names").cases) {
  test(scope, () => assert.deepEqual(pathParts(scope), parts));
}

test("parts are joined as they were split", () => {
  for (const scope of ["jit(step)/layer_1/add", "p['layer_1']['w']"]) {
    assert.equal(pathParts(scope).reduce(joined, ""), scope);
  }
});
