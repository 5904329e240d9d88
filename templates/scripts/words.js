// Queries of several words, as every filter and search box understands them.

/**
 * Return the words of a query, in lower case.
 * @param {string} query
 * @returns {string[]}
 */
export const wordsOf = (query) => query.toLowerCase().split(/\s+/).filter(Boolean);

/**
 * Say whether a text in lower case holds every word.
 * @param {string} text
 * @param {string[]} words
 */
export const holdsAll = (text, words) => words.every((word) => text.includes(word));
