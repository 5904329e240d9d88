import assert from "node:assert/strict";
import { test } from "node:test";
import { pathParts } from "../../templates/scripts/op-names.js";
import { cases } from "./cases.js";

for (const { scope, parts } of cases("op_names").cases) {
  test(scope, () => assert.deepEqual(pathParts(scope), parts));
}
