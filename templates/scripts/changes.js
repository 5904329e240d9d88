// The change to the program whose curve is shown over the chart of the main memory: suggestions that are ticked on the
// first screen, or one that a link or a key chooses, kept in the URL as `#suggestion=donate-1.checkpoint-1`.
import { humanBytes } from "./bytes.js";
import { loadChanges } from "./data.js";
import { MAIN_SPACE, chosenCapacity, followDevice } from "./device.js";
import { addKey } from "./keys.js";
import * as State from "./state.js";

// Between the keys of suggestions that are combined. As in `advice_box.py`.
const AND = ".";

const chosenKey = () => State.get("suggestion") ?? "";

/** Return the chosen change, or null where none is, or where a memory space is not the one that changes are about. */
export const chosenChange = async (/** @type {string} */ space) => {
  const key = chosenKey();
  if (!key || space !== MAIN_SPACE || !document.querySelector("p.changed")) return null;
  return (await loadChanges())[key] ?? null;
};

/** Say what is needed with all that is ticked, and draw it: solid what is needed at the least, pale up to the most. */
const showJoint = (/** @type {HTMLElement} */ place, /** @type {Change | null} */ change) => {
  const needed = Number(place.dataset.needed), known = Number(place.dataset.capacity) || null;
  const capacity = known ?? chosenCapacity(MAIN_SPACE), excess = capacity === null ? 0 : (change?.needs ?? needed) - capacity;
  const fits = change !== null && capacity !== null && needed > capacity && excess <= 0;
  const outcome = /** @type {HTMLElement} */ (place.querySelector(".outcome"));
  // The words of a known device say whether it fits.
  const judged = known !== null || capacity === null ? "" : excess > 0 ? `, ${humanBytes(excess)} over capacity` : fits ? ", fits" : "";
  outcome.textContent = change ? change.result + judged : place.dataset.words ?? "";
  outcome.classList.toggle("fits", fits);
  place.classList.toggle("ticked", change !== null);
  const scale = Math.max(needed, capacity ?? 0);
  const [sure, range] = /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll(".stacked > span"));
  sure.style.width = `${(100 * (change?.least ?? needed)) / scale}%`;
  range.style.width = `${(100 * (change ? change.needs - change.least : 0)) / scale}%`;
  for (const part of [sure, range]) {
    part.classList.toggle("ok", change !== null && excess <= 0);
    part.classList.toggle("over", excess > 0);
  }
};

/** Let the reader choose changes, and show which ones are chosen. */
export const startChanges = () => {
  const figure = document.querySelector(`figure[data-chart="memory-over-time"][data-space="${MAIN_SPACE}"]:has(p.changed)`);
  const boxes = [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input[name=tick]"))];
  const joint = /** @type {HTMLElement | null} */ (document.querySelector(".joint"));
  // The first screen and the page of suggestions lead to each other with what is ticked.
  const carrying = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a[href$="suggestions.html"], .tabs a[href$="index.html"], .joint a')]);
  if (!figure && !joint) return;

  const show = async () => {
    const keys = chosenKey().split(AND);
    boxes.forEach((box) => { box.checked = keys.includes(box.value); });
    carrying.forEach((link) => { link.hash = chosenKey() && `suggestion=${chosenKey()}`; });
    if (joint) showJoint(joint, boxes.some((box) => box.checked) ? (await loadChanges())[chosenKey()] ?? null : null);
  };
  boxes.forEach((box) => box.addEventListener("change", () => {
    State.set({ suggestion: boxes.filter((each) => each.checked).map((each) => each.value).join(AND) });
  }));
  State.onChange((keys) => { if (keys.includes("suggestion")) show(); });
  followDevice(show);
  if (!figure) return;
  addKey("m", "Show the next change over the chart", async () => {
    const keys = ["", ...Object.keys(await loadChanges()).filter((key) => !key.includes(AND))];
    const next = keys[(keys.indexOf(chosenKey()) + 1) % keys.length];
    State.set({ suggestion: next });
    // The chart may be out of view, and a choice whose effect is not seen looks like none.
    if (next) figure.scrollIntoView({ block: "center" });
  });
  document.querySelectorAll('a[href^="#suggestion="]').forEach((link) => {
    link.addEventListener("click", () => figure.scrollIntoView({ block: "center" }));
  });
};
