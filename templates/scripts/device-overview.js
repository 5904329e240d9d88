// The overview where the reader names the device of modules whose own is not known: how many fit, the capacity on the
// bars, what is left of it after each module, and whether the first suggestion makes it fit.
import { bytesCell } from "./cells.js";
import { humanBytes } from "./bytes.js";
import { MOST_ABOVE, chosenOption, followDevice } from "./device.js";
import { byId, make } from "./dom.js";

/**
 * Return what the cell of a module says.
 * @param {number} excess
 */
const cellOf = (excess) => excess > 0
  ? [
    make("span", { class: "pill fit over" }, ["Does not fit"]), " ",
    make("small", {}, ["by ", ...bytesCell(excess).childNodes]),
  ]
  : [
    make("span", { class: "pill fit" }, ["Fits"]), " ",
    make("small", {}, [`${humanBytes(-excess)} left`, make("data", { value: String(excess) })]),
  ];

/** Say above the table how many modules fit. */
const startCounts = () => {
  const counts = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".fits .count"))];
  const asking = /** @type {HTMLElement | null} */ (document.querySelector(".asks-device"));
  const pills = counts.map((count) => /** @type {HTMLElement} */ (count.querySelector(".pill")));
  const own = counts.map((count, place) => (count.hidden ? "" : pills[place].textContent ?? ""));
  followDevice((capacity) => {
    const words = capacity === null ? own : (chosenOption().dataset.words ?? "").split("|");
    counts.forEach((count, place) => {
      pills[place].textContent = words[place];
      count.hidden = !words[place];
    });
    if (asking) asking.hidden = capacity !== null;
  });
};

/** Draw the capacity on the bars, and name it above them where it is that of all. */
const startAxis = (/** @type {HTMLElement} */ table) => {
  const limit = Number(table.dataset.limit), own = table.style.getPropertyValue("--capacity");
  const name = byId("capacity"), ownName = name.textContent ?? "", hasOthers = table.querySelector(".need-bar[style]");
  followDevice((capacity) => {
    const drawn = capacity !== null && capacity <= MOST_ABOVE * limit ? capacity : null;
    table.style.setProperty("--limit", String(Math.max(limit, drawn ?? 0, Number(own))));
    table.style.setProperty("--capacity", String(capacity ?? own));
    name.hidden = drawn === null ? !own : hasOthers !== null;
    name.replaceChildren(make("span", {}, [
      drawn === null ? ownName.trim() : `${chosenOption().text.split(",")[0]} capacity ${humanBytes(drawn)}`,
    ]));
  });
};

/** Say of each suggestion whether its module fits then. */
const startSuggestions = () => {
  const said = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-fits-from]"));
  followDevice((capacity) => said.forEach((words) => {
    const needs = Number(/** @type {HTMLElement} */ (words.closest("tr")?.querySelector("[data-needs]")).dataset.needs);
    const isSolved = capacity !== null && needs > capacity && Number(words.dataset.fitsFrom) <= capacity;
    words.hidden = !isSolved;
    words.parentElement?.classList.toggle("solved", isSolved);
  }));
};

/** Let the pages of modules follow the device that the reader names. */
export const startDeviceOverview = () => {
  const table = document.getElementById("modules-table");
  const cells = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#modules-table [data-needs]"));
  if (!table || !document.getElementById("device")) return;
  startCounts();
  startAxis(table);
  startSuggestions();
  const unknown = [...cells].map((cell) => [...cell.childNodes]);
  followDevice((capacity) => {
    table.classList.toggle("has-device", capacity !== null);
    cells.forEach((cell, place) => cell.replaceChildren(
      ...(capacity === null ? unknown[place] : cellOf(Number(cell.dataset.needs) - capacity))
    ));
  });
};
