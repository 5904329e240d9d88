// The scopes of a program as a tree, with the bytes that the values below each own at a moment. Siblings whose names
// differ in numbers only, as those of layers, are one node.
import { classOf } from "./names.js";
import { joined, pathParts } from "./op-names.js";

/** @typedef {{path: string, name: string, size: number, own: number, values: number, classes: Map<string, number>,
 *   children: Scope[]}} Scope
 * `path` is the whole name down to here, with `#` for the numbers of siblings; it is empty for bytes without a scope.
 * @typedef {{isNamed: boolean, names: Set<string>, size: number, own: number, values: number,
 *   classes: Map<string, number>, below: Map<string, Branch>}} Branch
 * A node that is still filled; `names` are those of the siblings, and `below` has the others by what siblings are called. */

const NUMBER = /\p{Nd}+/gu;
const SPECIAL = /[.*+?^${}()|[\]\\]/g;

const branch = (isNamed = true) =>
  ({ isNamed, names: new Set(), size: 0, own: 0, values: 0, classes: new Map(), below: new Map() });

/** Return the branch below another that a name belongs to. */
const below = (/** @type {Branch} */ above, /** @type {string} */ name, isNamed = true) => {
  const siblings = name.replace(NUMBER, "#"), found = above.below.get(siblings) ?? branch(isNamed);
  above.below.set(siblings, found);
  found.names.add(name);
  return found;
};

/** Add bytes to a branch; those of no value have no class. @type {(at: Branch, size: number, memoryClass?: string) => void} */
const add = (at, size, memoryClass) => {
  at.size += size;
  if (memoryClass === undefined) return;
  at.values += 1;
  at.classes.set(memoryClass, (at.classes.get(memoryClass) ?? 0) + size);
};

/** Return the tree of what values own, and `reserved` bytes of no value.
 * @type {(values: Values, owned: Map<number, number>, reserved: number, names: {unknown: string, reserved: string}) => Scope} */
export const scopeTree = (values, owned, reserved, names) => {
  const root = branch();
  owned.forEach((size, number) => {
    if (!size) return;
    const scope = values.scopes[values.scope[number]].trim(), memoryClass = classOf(values, number);
    let at = root;
    add(at, size, memoryClass);
    for (const part of scope ? pathParts(scope) : []) {
      at = below(at, part);
      add(at, size, memoryClass);
    }
    if (!scope) {
      at = below(root, names.unknown, false);
      add(at, size, memoryClass);
    }
    at.own += size;
  });
  if (reserved) {
    add(root, reserved);
    add(below(root, names.reserved, false), reserved);
  }
  return finished(["", root], "");
};

/** Return a node with its children, largest first; a node without bytes of its own and with one child is joined with
 * it.
 * @type {(named: [string, Branch], above: string) => Scope} */
const finished = ([siblings, top], above) => {
  let at = top, name = shownName(siblings, top);
  while (name && !at.own && at.below.size === 1 && at.names.size === 1) {
    const [[key, only]] = at.below;
    at = only;
    name = joined(name, shownName(key, only));
  }
  const path = at.isNamed ? joined(above, name) : "";
  const children = [...at.below].map((child) => finished(child, path)).sort((one, other) => other.size - one.size || (one.name < other.name ? -1 : 1));
  const { size, own, values, classes } = at;
  return { path, name, size, own, values, classes, children };
};

/** Return the name of a branch, or the one with `#` for the numbers of its siblings. @type {(siblings: string, at: Branch) => string} */
const shownName = (siblings, { names }) => names.size === 1 ? [...names][0] : siblings;

/** Return the node of a path, or the root where there is none. The node may be joined with its only child. */
export const scopeAt = (/** @type {Scope} */ root, /** @type {string | null} */ path) => {
  if (!path) return root;
  const isInside = isWithin(path);
  const find = (/** @type {Scope} */ at) => {
    if (isInside(at.path)) return at;
    let found = /** @type {Scope | null} */ (null);
    at.children.some((child) => (found = find(child)));
    return found;
  };
  return find(root) ?? root;
};

/** Return a test for scopes that are a path or below it; `#` in the path stands for any number.
 * @type {(path: string | null) => (scope: string) => boolean} */
export const isWithin = (path) => {
  if (!path) return () => true;
  const pattern = path.replace(SPECIAL, "\\$&").replaceAll("#", "(?:#|\\p{Nd}+)");
  const wanted = new RegExp(`^${pattern}(?:$|[/[])`, "u");
  return (scope) => wanted.test(pathParts(scope.trim()).reduce(joined, ""));
};
