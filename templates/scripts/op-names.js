// An op_name, the path by which a program names an operation: `jit(step)/layer_1/attention/dot_general`.
// `op_names.py` does the same: tests/shared_cases holds both to it.

const ARGUMENT = /^[^[\]/(){}]+(?:\[(?:'[^']*'|"[^"]*"|\d+)\][^[\]/(){}]*)+$/;

/** Return the parts of an op_name, split at slashes outside of brackets; `p['layer']['w']` at its subscripts. */
export const pathParts = (/** @type {string} */ scope) => {
  if (ARGUMENT.test(scope)) return scope.split(/(?=\[)/).filter(Boolean);
  const parts = /** @type {string[]} */ ([]);
  let depth = 0, start = 0;
  [...scope].reduce((offset, character) => {
    if ("([{".includes(character)) depth += 1;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    else if (character === "/" && depth === 0) {
      parts.push(scope.slice(start, offset));
      start = offset + 1;
    }
    return offset + character.length;
  }, 0);
  const found = [...parts, scope.slice(start)].filter(Boolean);
  return found.length ? found : [scope];
};
