// The first cards of a module whose device the reader names: the verdict, the bars with the capacity as a tick, and
// what is left after each step. The words are those of a page where the device is known.
import { humanBytes } from "./bytes.js";
import { followDevice } from "./device.js";
import { make } from "./dom.js";

/**
 * Return the verdict in words.
 * @param {number} needed
 * @param {number} capacity
 */
const verdictWords = (needed, capacity) => needed > capacity
  ? `Does not fit, by ${humanBytes(needed - capacity)}`
  : `Fits: ${humanBytes(capacity - needed)} left`;

/**
 * Draw the bars on the scale of the device, with its capacity; those without one are as long as the need.
 * @param {number} needed
 * @param {number | null} capacity
 */
const drawBars = (needed, capacity) => {
  const scale = Math.max(needed, capacity ?? 0);
  for (const stack of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".stack"))) {
    for (const part of stack.closest(".joint") ? [] : /** @type {NodeListOf<HTMLElement>} */ (stack.querySelectorAll(".stacked > span"))) {
      part.dataset.width ??= part.style.width;
      part.style.width = `${(parseFloat(part.dataset.width) * needed) / scale}%`;
    }
    stack.querySelector(".tick")?.remove();
    const isThin = stack.classList.contains("thin");
    stack.classList.toggle("has-capacity", capacity !== null && !isThin);
    if (capacity === null) continue;
    const place = { class: "tick", style: `left:${(100 * capacity) / scale}%` };
    // Near the left edge there is no room before the tick.
    /** @type {Record<string, string>} */
    const side = capacity * 4 < scale ? { style: "right:auto;left:0" } : {};
    stack.append(make("span", place, isThin ? [] : [make("span", side, [humanBytes(capacity)])]));
  }
};

/**
 * Say for each step whether the program fits after it.
 * @param {number} needed
 * @param {number | null} capacity
 */
const judgeSteps = (needed, capacity) => {
  const wasOver = capacity !== null && needed > capacity;
  for (const step of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".step-list > [data-needs]"))) {
    const excess = capacity === null ? 0 : Number(step.dataset.needs) - capacity, fits = wasOver && excess <= 0;
    const outcome = /** @type {HTMLElement} */ (step.querySelector(".outcome"));
    const words = outcome.dataset.words ??= outcome.textContent ?? "";
    outcome.textContent = excess > 0 ? `${words}, ${humanBytes(excess)} over capacity` : fits ? `${words}, fits` : words;
    outcome.parentElement?.classList.toggle("fits", fits);
  }
};

/** Let the first cards of a module follow the device that the reader names. */
export const startDeviceCards = () => {
  const verdict = document.getElementById("device-verdict");
  const choice = /** @type {HTMLSelectElement | null} */ (document.getElementById("device"));
  if (!choice || !verdict) return;
  const heading = document.getElementById("first-steps"), ownHeading = heading?.textContent ?? "";
  const headingIfOver = /** @type {HTMLElement | null | undefined} */ (heading?.closest("section"))?.dataset.over ?? "";
  const needed = Number(choice.dataset.needs), unknown = verdict.textContent;
  followDevice((capacity) => {
    verdict.classList.toggle("fit", capacity !== null);
    verdict.classList.toggle("over", capacity !== null && needed > capacity);
    verdict.textContent = capacity === null ? unknown : verdictWords(needed, capacity);
    drawBars(needed, capacity);
    judgeSteps(needed, capacity);
    if (heading) heading.textContent = capacity !== null && needed > capacity ? headingIfOver : ownHeading;
  });
};
