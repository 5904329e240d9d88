// What is kept in the browser tab as JSON. A private window may refuse to keep anything; the page then does without.

/** Return what is kept under `name`, or null. */
export const recall = (/** @type {string} */ name) => {
  try { return JSON.parse(sessionStorage.getItem(name) ?? "null"); } catch { return null; }
};

/** Keep a value under `name`; null removes it. */
export const keep = (/** @type {string} */ name, /** @type {unknown} */ value) => {
  try {
    if (value === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, JSON.stringify(value));
  } catch { /* see above */ }
};
