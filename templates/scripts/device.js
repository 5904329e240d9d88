// Where the device of a program is not known, the reader names one: the bars get its capacity as a tick, and the verdict
// says how much is left. The choice is kept for the other modules of the site.
import { humanBytes } from "./bytes.js";
import { make } from "./dom.js";
import { keep, recall } from "./storage.js";

const STORE = "reportgen-device";

/**
 * Return the verdict in words, as the page has it where the device is known.
 * @param {number} allocated
 * @param {number} capacity
 */
export const verdictWords = (allocated, capacity) => allocated > capacity
  ? `Does not fit: ${humanBytes(allocated - capacity)} too much`
  : `Fits: ${humanBytes(capacity - allocated)} left`;

/**
 * Draw the bars on the scale of the device, with its capacity; those without one are as long as what is allocated.
 * @param {number} allocated
 * @param {number | null} capacity
 */
const drawBars = (allocated, capacity) => {
  const scale = Math.max(allocated, capacity ?? 0);
  for (const stack of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".hero .stack"))) {
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (stack.querySelectorAll(".stacked > span"))) {
      part.dataset.width ??= part.style.width;
      part.style.width = `${(parseFloat(part.dataset.width) * allocated) / scale}%`;
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

/** Let the reader name the device, on a page that offers the choice. */
export const startDevice = () => {
  const choice = /** @type {HTMLSelectElement | null} */ (document.getElementById("device"));
  const verdict = document.getElementById("device-verdict");
  if (!choice || !verdict) return;
  const allocated = Number(choice.dataset.allocated), unknown = verdict.textContent;
  const show = () => {
    const capacity = choice.value ? Number(choice.value) : null;
    verdict.classList.toggle("fit", capacity !== null);
    verdict.classList.toggle("over", capacity !== null && allocated > capacity);
    verdict.textContent = capacity === null ? unknown : verdictWords(allocated, capacity);
    drawBars(allocated, capacity);
  };
  choice.value = String(recall(STORE) ?? "");
  if (choice.selectedIndex < 0) choice.value = "";
  if (choice.value) show();
  choice.addEventListener("change", () => {
    keep(STORE, choice.value || null);
    show();
  });
};
