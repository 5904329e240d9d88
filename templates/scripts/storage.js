// What is kept in the browser tab as JSON. A private window may refuse to keep anything; the page then does without.

/**
 * Return what is kept under `name`, or null.
 * @param {string} name
 * @returns {any}
 */
export const recall = (name) => {
  try { return JSON.parse(sessionStorage.getItem(name) ?? "null"); } catch { return null; }
};

/**
 * Keep a value under `name`; null removes it.
 * @param {string} name
 * @param {unknown} value
 */
export const keep = (name, value) => {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch { /* see above */ }
};
