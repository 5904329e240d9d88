// Files that the reader takes along: made in the page, because a site on the disk has no server to ask.
import { make } from "./dom.js";

/** Let the browser save a blob under a name. */
export const saveBlob = (/** @type {string} */ name, /** @type {Blob} */ blob) => {
  const href = URL.createObjectURL(blob);
  make("a", { href, download: name }).click();
  // Later, because the browser reads the blob after the click.
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
};

/** Let the browser save a text under a name. @type {(name: string, type: string, text: string) => void} */
export const saveText = (name, type, text) => saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
