// The cases that Python and JavaScript share.
import { readFileSync } from "node:fs";

/** @param {string} name */
export const cases = (name) => JSON.parse(readFileSync(new URL(`../shared_cases/${name}.json`, import.meta.url), "utf8"));
