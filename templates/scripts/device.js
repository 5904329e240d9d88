// Where the device of a program is not known, the reader names one. The choice is kept for the other pages of the site,
// and what depends on it follows: the first cards and the chart of a module, errors, and the overview.
import { byId } from "./dom.js";
import { keep, recall } from "./storage.js";

// A capacity that is so many times all else would make a chart flat. As in `chart_data.py`.
export const MOST_ABOVE = 3;

const STORE = "reportgen-device";

const followers = /** @type {((capacity: number | null) => void)[]} */ ([]);
let capacity = /** @type {number | null} */ (null);

const choiceOf = () => /** @type {HTMLSelectElement | null} */ (document.getElementById("device"));

/** The memory space that a device has so many bytes of. As in `devices.py`. */
export const MAIN_SPACE = "0";

/** Return the bytes that the device the reader has named has of a memory space; null where none is named or asked for. */
export const chosenCapacity = (/** @type {string} */ space) => (space === MAIN_SPACE ? capacity : null);

/** Call `follower` now and after every choice, on a page that asks for the device. */
export const followDevice = (/** @type {(capacity: number | null) => void} */ follower) => {
  followers.push(follower);
  follower(capacity);
};

/** Let the reader name the device, on a page that has programs whose device is not known. */
export const startDevice = () => {
  const choice = choiceOf();
  if (!choice) return;
  choice.value = recall(STORE) ?? "";
  // A site of another version may offer other devices.
  if (choice.selectedIndex < 0) choice.value = "";
  capacity = Number(choice.value) || null;
  choice.addEventListener("change", () => {
    capacity = Number(choice.value) || null;
    keep(STORE, capacity);
    followers.forEach((follower) => follower(capacity));
  });
};

/** Return the option of the device that is chosen. */
export const chosenOption = () => /** @type {HTMLSelectElement} */ (byId("device")).selectedOptions[0];
