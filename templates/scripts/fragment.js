// Choices as the text of a URL's fragment, `space=0&moment=12`, and back. A plain anchor, `findings`, holds no choices.

/**
 * Say whether a fragment is the name of a place on the page.
 * @param {string} fragment
 */
export const isAnchor = (fragment) => fragment !== "" && !fragment.includes("=");

/**
 * Return the choices that a fragment holds.
 * @param {string} fragment
 * @returns {Record<string, string>}
 */
export const parse = (fragment) => Object.fromEntries(new URLSearchParams(fragment));

/**
 * Return the fragment that holds these choices.
 * @param {Record<string, string>} choices
 */
export const format = (choices) => new URLSearchParams(choices).toString();

/**
 * Return the choices after some changes; null or an empty text removes one.
 * @param {Record<string, string>} choices
 * @param {Record<string, string | number | null>} changes
 * @returns {Record<string, string>}
 */
export const changed = (choices, changes) => {
  const entries = Object.entries({ ...choices, ...changes }).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
};

/**
 * Return the keys whose values differ.
 * @param {Record<string, string>} before
 * @param {Record<string, string>} after
 * @returns {string[]}
 */
export const changedKeys = (before, after) =>
  Object.keys({ ...before, ...after }).filter((key) => before[key] !== after[key]);
