// What the reader has chosen, kept in the URL's fragment as `#space=0&moment=12`, so that a link shows the same
// view and the Back button undoes a choice. Following a plain anchor, `#findings`, keeps the choices, which then
// live in the history entry alone.
import { changed, changedKeys, format, isAnchor, parse } from "./fragment.js";

const listeners = /** @type {((keys: string[]) => void)[]} */ ([]);
let choices = /** @type {Record<string, string>} */ ({});

const fragment = () => location.hash.slice(1);

/** @type {() => Record<string, string> | null} */
const fromHistory = () => isAnchor(fragment()) ? (history.state?.values ?? null) : parse(fragment());

const remember = () => history.replaceState({ values: choices }, "");

const apply = (/** @type {Record<string, string>} */ after) => {
  const keys = changedKeys(choices, after);
  choices = after;
  if (keys.length) listeners.forEach((listener) => listener(keys));
};

/** Read the URL and follow its changes from now on. */
export const startState = () => {
  const found = fromHistory();
  choices = found ?? {};
  if (!found) remember();
  addEventListener("popstate", () => {
    apply(fromHistory() ?? choices);
    if (isAnchor(fragment())) remember();
  });
};

/** Return the choice made for `key`, or null. */
export const get = (/** @type {string} */ key) => Object.hasOwn(choices, key) ? choices[key] : null;

/** Change choices, where null removes one. With `replace` the Back button does not undo this change.
 * @type {(changes: Record<string, string | number | null>, options?: {replace?: boolean}) => void} */
export const set = (changes, { replace = false } = {}) => {
  const after = changed(choices, changes);
  if (!changedKeys(choices, after).length) return;
  const text = format(after);
  const address = location.href.split("#")[0] + (text && `#${text}`);
  history[replace ? "replaceState" : "pushState"]({ values: after }, "", address);
  apply(after);
};

/** Call `listener` with the changed keys after every change, whether the page or the reader made it. */
export const onChange = (/** @type {(keys: string[]) => void} */ listener) => { listeners.push(listener); };
