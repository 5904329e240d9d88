// What the browser keeps: as JSON for a tab, as text for all pages. A private window may refuse to keep anything; the page
// then does without.

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

/** Return the text that is kept under `name` for all pages, or null. */
export const recallText = (/** @type {string} */ name) => {
  try { return localStorage.getItem(name); } catch { return null; }
};

/** Keep a text under `name` for all pages. */
export const keepText = (/** @type {string} */ name, /** @type {string} */ text) => {
  try { localStorage.setItem(name, text); } catch { /* see above */ }
};
