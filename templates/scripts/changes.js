// The change to the program whose curve is shown over the chart of the main memory: chosen in a table of suggestions, in the
// list above the charts, or with a key, and kept in the URL as `#suggestion=donate-1`.
import { loadChanges } from "./data.js";
import { MAIN_SPACE } from "./device.js";
import { addKey } from "./keys.js";
import * as State from "./state.js";

/**
 * Return the chosen change, or null where none is, or where a memory space is not the one that changes are about.
 * @param {string} space
 * @returns {Promise<Change | null>}
 */
export const chosenChange = async (space) => {
  const key = State.get("suggestion");
  if (!key || space !== MAIN_SPACE || !document.querySelector("select[name=suggestion]")) return null;
  return (await loadChanges())[key] ?? null;
};

/** Let the reader choose a change, and show which one is chosen. */
export const startChanges = () => {
  const select = /** @type {HTMLSelectElement | null} */ (document.querySelector("#moment-controls select[name=suggestion]"));
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[name=suggestion]"));
  const figure = document.querySelector(`figure[data-chart="memory-over-time"][data-space="${MAIN_SPACE}"]`);
  if (!select || !figure) return;

  const show = () => {
    const key = State.get("suggestion") ?? "";
    select.value = key;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.value === key)));
  };
  buttons.forEach((button) => button.addEventListener("click", () => {
    const isChosen = button.value === State.get("suggestion");
    State.set({ suggestion: isChosen ? null : button.value });
    // The chart is further down, and a choice whose effect is not seen looks like none.
    if (!isChosen) figure.scrollIntoView({ block: "center" });
  }));
  select.addEventListener("change", () => State.set({ suggestion: select.value }));
  addKey("m", "Show the next change over the chart", () => {
    const next = select.options[(select.selectedIndex + 1) % select.options.length];
    State.set({ suggestion: next.value });
    if (next.value) figure.scrollIntoView({ block: "center" });
  });
  State.onChange((keys) => { if (keys.includes("suggestion")) show(); });
  show();
};
