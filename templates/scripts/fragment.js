// Choices as the text of a URL's fragment, `space=0&moment=12`, and back. A plain anchor, `findings`, holds no choices.

/** Say whether a fragment is the name of a place on the page. */
export const isAnchor = (/** @type {string} */ fragment) => fragment !== "" && !fragment.includes("=");

/** Return the choices that a fragment holds. */
export const parse = (/** @type {string} */ fragment) => Object.fromEntries(new URLSearchParams(fragment));

/** Return the fragment that holds these choices. */
export const format = (/** @type {Record<string, string>} */ choices) => new URLSearchParams(choices).toString();

/** Return the choices after some changes; null or an empty text removes one.
 * @type {(choices: Record<string, string>, changes: Record<string, string | number | null>) => Record<string, string>} */
export const changed = (choices, changes) => {
  const entries = Object.entries({ ...choices, ...changes }).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
};

/** Return the keys whose values differ. @type {(before: Record<string, string>, after: Record<string, string>) => string[]} */
export const changedKeys = (before, after) =>
  Object.keys({ ...before, ...after }).filter((key) => before[key] !== after[key]);
