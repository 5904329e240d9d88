// Queries of several words, as every filter and search box understands them.

/** Return the words of a query, in lower case. */
export const wordsOf = (/** @type {string} */ query) => query.toLowerCase().split(/\s+/).filter(Boolean);

/** Say whether a text in lower case holds every word. @type {(text: string, words: string[]) => boolean} */
export const holdsAll = (text, words) => words.every((word) => text.includes(word));
