// The icicle of scopes: boxes as wide as their share, each a button that looks into it.
import { humanBytes } from "./bytes.js";
import { make } from "./dom.js";

/** @typedef {import("./scope-tree.js").Scope} Scope */

const NARROWEST = 1 / 200;
const ROOM_FOR_WORDS = 1 / 25;
const DEEPEST = 14;

/** Return a box with the boxes below it; boxes that are too narrow to see are left out.
 * @type {(scope: Scope, label: string, choose: (scope: Scope) => void,
 *   place: {width: number, share: number, depth: number}) => HTMLLIElement} */
const box = (scope, label, choose, { width, share, depth }) => {
  const bar = make("span", { class: "bar", "aria-hidden": "true" }, [...scope.classes].map(([name, size]) =>
    make("span", { class: `fill-${name}`, style: `width:${(100 * size) / scope.size}%` })));
  const words = `${label}: ${scope.size.toLocaleString("en")} bytes`;
  const tile = make("button", { type: "button", class: share < ROOM_FOR_WORDS ? "tile narrow" : "tile", title: words, "aria-label": words }, [
    bar, make("span", { class: "name" }, [label]), " ", make("span", { class: "amount" }, [humanBytes(scope.size)])
  ]);
  tile.addEventListener("click", () => choose(scope));
  const shown = depth < DEEPEST ? scope.children.filter((child) => (share * child.size) / scope.size >= NARROWEST) : [];
  const children = shown.map((child) => box(child, child.name, choose,
    { width: child.size / scope.size, share: (share * child.size) / scope.size, depth: depth + 1 }));
  return make("li", { style: `width:${100 * width}%` }, children.length ? [tile, make("ol", {}, children)] : [tile]);
};

/** Return the icicle of a scope. @type {(scope: Scope, label: string, choose: (scope: Scope) => void) => HTMLOListElement} */
export const icicle = (scope, label, choose) =>
  make("ol", { class: "flame" }, [box(scope, label, choose, { width: 1, share: 1, depth: 0 })]);
