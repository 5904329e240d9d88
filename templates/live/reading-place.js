// What a reader sees before a page is reloaded, and how to restore it: the scroll position, the focus, typed text and
// open details. The address keeps choices and zoom already, and the browser keeps the theme.
import { keep, recall } from "../scripts/storage.js";

/** @typedef {{id: string | null, steps: number[]}} Path
 * @typedef {{page: string, x: number, y: number, anchor: {path: Path, top: number} | null,
 *   scrolled: {path: Path, left: number, top: number}[], focused: {path: Path, selection: [number, number] | null} | null,
 *   typed: {path: Path, value: string}[], open: Path[]}} Place */

const STORE = "reportgen-live-page";
const GROWING_MILLISECONDS = 3000;
const READER_MOVES = ["wheel", "touchstart", "keydown", "pointerdown"];

/** Return the path to an element from the nearest ancestor with an id, or from the body. */
const pathTo = (/** @type {Element} */ element) => {
  const steps = [];
  let at = element;
  while (at !== document.body && !at.id && at.parentElement) {
    steps.unshift([...at.parentElement.children].indexOf(at));
    at = at.parentElement;
  }
  return { id: at.id || null, steps };
};

/** Return the element at the end of a path, if the page still has it. */
const follow = (/** @type {Path} */ { id, steps }) => {
  /** @type {Element | null} */
  let element = id === null ? document.body : document.getElementById(id);
  for (const step of steps) element = element?.children[step] ?? null;
  return element;
};

/** Return the heading or row at the top of the window, and its distance from there. */
const topmost = () => {
  const marks = [...document.querySelectorAll("main [id], main h1, main h2, main h3")];
  const found = marks.find((mark) => {
    const box = mark.getBoundingClientRect();
    return box.height > 0 && !mark.closest(".live-mark") && box.top >= -40 && box.top < innerHeight;
  });
  return found ? { path: pathTo(found), top: found.getBoundingClientRect().top } : null;
};

const scrolled = () => [...document.querySelectorAll("main *")]
  .filter((element) => element.scrollLeft > 0 || element.scrollTop > 0)
  .map((element) => ({ path: pathTo(element), left: element.scrollLeft, top: element.scrollTop }));

const focused = () => {
  const element = document.activeElement;
  if (!element || element === document.body || element.closest("#live")) return null;
  const isText = element instanceof HTMLInputElement && /^(search|text)$/.test(element.type);
  return { path: pathTo(element), selection: isText ? [element.selectionStart ?? 0, element.selectionEnd ?? 0] : null };
};

const typed = () => [.../** @type {NodeListOf<HTMLInputElement>} */ (
  document.querySelectorAll("input[type=search], input[data-filter-of]"))]
  .filter((box) => box.value)
  .map((box) => ({ path: pathTo(box), value: box.value }));

/** Keep what the reader sees for the page at `path`, which is loaded next. */
export const keepPlace = (/** @type {string} */ path) => {
  keep(STORE, {
    page: `/${path}`, x: scrollX, y: scrollY, anchor: topmost(), scrolled: scrolled(), focused: focused(), typed: typed(),
    open: [...document.querySelectorAll("main details[open]")].map(pathTo)
  });
  history.scrollRestoration = "manual";
};

const scrollBack = (/** @type {Place} */ { x, y, anchor, scrolled }) => {
  const mark = anchor && follow(anchor.path);
  // Content above may have grown, so the mark counts and not the number of pixels.
  if (anchor && mark && y > 0) scrollTo(x, scrollY + mark.getBoundingClientRect().top - anchor.top);
  else scrollTo(x, y);
  scrolled.forEach(({ path, left, top }) => follow(path)?.scrollTo(left, top));
};

const restoreFocus = (/** @type {Place} */ { focused }) => {
  const element = focused && follow(focused.path);
  if (!focused || !element) return;
  /** @type {HTMLElement} */ (element).focus({ preventScroll: true });
  if (focused.selection && element instanceof HTMLInputElement) element.setSelectionRange(...focused.selection);
};

const restoreTyped = (/** @type {Place} */ { typed }) => typed.forEach(({ path, value }) => {
  const box = /** @type {HTMLInputElement | null} */ (follow(path));
  if (!box || box.value === value) return;
  box.value = value;
  // The list of results belongs to a search box that has the focus.
  if (box.id !== "search" || document.activeElement === box) box.dispatchEvent(new Event("input", { bubbles: true }));
});

/** Keep the place while charts are drawn and make the page grow, until the reader moves. */
const stay = (/** @type {Place} */ place) => {
  scrollBack(place);
  const observer = new ResizeObserver(() => scrollBack(place));
  const stop = () => {
    observer.disconnect();
    history.scrollRestoration = "auto";
    READER_MOVES.forEach((name) => removeEventListener(name, stop, true));
  };
  READER_MOVES.forEach((name) => addEventListener(name, stop, true));
  observer.observe(document.body);
  setTimeout(stop, GROWING_MILLISECONDS);
};

/** Restore what was kept for this page, once. */
export const restorePlace = (/** @type {string} */ page) => {
  /** @type {Place | null} */
  const place = recall(STORE);
  keep(STORE, null);
  if (place?.page !== `/${page}`) return;
  place.open.forEach((path) => {
    const element = follow(path);
    if (element instanceof HTMLDetailsElement) element.open = true;
  });
  restoreFocus(place);
  restoreTyped(place);
  stay(place);
};
