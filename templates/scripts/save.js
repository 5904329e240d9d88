// Files that the reader takes along: made in the page, because a site on the disk has no server to ask.
import { make } from "./dom.js";

/**
 * Let the browser save a blob under a name.
 * @param {string} name
 * @param {Blob} blob
 */
export const saveBlob = (name, blob) => {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  // Later, because the browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
};

/**
 * Let the browser save a text under a name.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export const saveText = (name, type, text) => saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
