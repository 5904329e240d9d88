// What a page says once the reader names the device of programs whose own is not known: whether each fits, the capacity
// on the bars, and what suggestions lead to. The words are those of a page where the device is known.
import { humanBytes } from "./bytes.js";
import { MOST_ABOVE, chosenOption, followDevice } from "./device.js";
import { make } from "./dom.js";

const all = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)].map((found) => /** @type {HTMLElement} */ (found));

/** Return whether a need fits, and by how much; where it is the least, it cannot be said that it fits. */
const verdictOf = (/** @type {number} */ excess, /** @type {boolean} */ isLeast) => excess > 0
  ? ["Does not fit", `by ${isLeast ? "at least " : ""}${humanBytes(excess)}`]
  : ["Fits", `${humanBytes(-excess)} left`];

/** Say of each need whether it fits: in a cell of the overview, or in the pill beside the only one. */
const judgeNeeds = () => all(".fit[data-needs], #device-verdict").forEach((place) => {
  const unknown = [...place.childNodes], isLeast = "least" in place.dataset;
  followDevice((capacity) => {
    const excess = Number(place.dataset.needs) - (capacity ?? 0), [verdict, amount] = verdictOf(excess, isLeast);
    const isUnknown = capacity === null || (isLeast && excess <= 0), isPill = place.matches(".pill");
    const look = isUnknown ? "pill" : excess > 0 ? "pill fit over" : "pill fit";
    if (isPill) place.className = look;
    if (capacity === null) place.replaceChildren(...unknown);
    else if (isUnknown) place.replaceChildren("Whether it fits is unknown");
    else if (isPill) place.replaceChildren(`${verdict}${excess > 0 ? "," : ":"} ${amount}`);
    else {
      const sorted = make("data", { value: String(excess) });
      place.replaceChildren(make("span", { class: look }, [verdict]), " ", make("small", {}, [amount, sorted]));
    }
  });
});

/** Say how many modules fit. */
const countFitting = () => {
  const counts = all(".fits .count"), pills = all(".fits .count .pill");
  const own = pills.map((pill, place) => (counts[place].hidden ? "" : pill.textContent ?? ""));
  followDevice((capacity) => {
    const words = capacity === null ? own : (chosenOption().dataset.words ?? "").split("|");
    counts.forEach((count, place) => {
      pills[place].textContent = words[place];
      count.hidden = !words[place];
    });
  });
};

/** Draw the capacity on the bars of a table, and name it above them where it is that of all. */
const drawAxes = () => all("table[data-limit]").forEach((table) => {
  const limit = Number(table.dataset.limit), own = table.style.getPropertyValue("--capacity");
  const [name] = all("#capacity"), ownName = name.textContent ?? "", hasOthers = table.querySelector(".need-bar[style]");
  followDevice((capacity) => {
    const drawn = capacity !== null && capacity <= MOST_ABOVE * limit ? capacity : null;
    table.classList.toggle("has-device", capacity !== null);
    table.style.setProperty("--limit", String(Math.max(limit, drawn ?? 0, Number(own))));
    table.style.setProperty("--capacity", String(capacity ?? own));
    name.hidden = drawn === null ? !own : hasOthers !== null;
    name.replaceChildren(make("span", {}, [
      drawn === null ? ownName.trim() : `${chosenOption().text.split(",")[0]} capacity ${chosenOption().dataset.size}`,
    ]));
  });
});

/** Draw the bars of the only need on the scale of the device; those without a device are as long as the need. */
const drawBars = (/** @type {number} */ needed) => all(".stack > .stacked").forEach((bar) => {
  const stack = /** @type {HTMLElement} */ (bar.parentElement);
  const isJoint = stack.closest(".joint") !== null, isThin = stack.classList.contains("thin");
  const parts = isJoint ? [] : [.../** @type {NodeListOf<HTMLElement>} */ (bar.querySelectorAll("span"))];
  const widths = parts.map((part) => parseFloat(part.style.width));
  followDevice((capacity) => {
    const scale = Math.max(needed, capacity ?? 0), left = `left:${(100 * (capacity ?? 0)) / scale}%`;
    parts.forEach((part, place) => { part.style.width = `${(widths[place] * needed) / scale}%`; });
    stack.querySelectorAll(".tick, .excess").forEach((mark) => mark.remove());
    stack.classList.toggle("has-capacity", capacity !== null && !isThin);
    if (capacity === null) return;
    if (needed > capacity && !isThin && !isJoint) bar.append(make("span", { class: "excess", style: left }));
    // Near the left edge there is no room before the tick.
    /** @type {Record<string, string>} */
    const side = capacity * 4 < scale ? { style: "right:auto;left:0" } : {};
    stack.append(make("span", { class: "tick", style: left }, isThin ? [] : [make("span", side, [chosenOption().dataset.size ?? ""])]));
  });
});

/** Say of each suggestion whether the only program fits with it, and that some are to make it fit. */
const judgeSuggestions = (/** @type {number} */ needed) => {
  const outcomes = all(".step-list > [data-needs] .outcome"), own = outcomes.map((outcome) => outcome.textContent ?? "");
  const [heading] = all("#first-steps"), ownHeading = heading?.textContent ?? "";
  followDevice((capacity) => {
    const isOver = capacity !== null && needed > capacity;
    outcomes.forEach((outcome, place) => {
      const step = /** @type {HTMLElement} */ (outcome.closest("[data-needs]"));
      const excess = capacity === null ? 0 : Number(step.dataset.needs) - capacity, fits = isOver && excess <= 0;
      outcome.textContent = own[place] + (excess > 0 ? `, ${humanBytes(excess)} over capacity` : fits ? ", fits" : "");
      outcome.parentElement?.classList.toggle("fits", fits);
    });
    if (heading) heading.textContent = (isOver && heading.closest("section")?.dataset.over) || ownHeading;
  });
};

/** Say of the first suggestion of each module of the overview whether it fits with it. */
const judgeFirstSuggestions = () => all("[data-fits-from]").forEach((words) => {
  const needed = Number(/** @type {HTMLElement} */ (words.closest("tr")?.querySelector(".fit[data-needs]")).dataset.needs);
  followDevice((capacity) => {
    const isSolved = capacity !== null && needed > capacity && Number(words.dataset.fitsFrom) <= capacity;
    words.hidden = !isSolved;
    words.parentElement?.classList.toggle("solved", isSolved);
  });
});

/** Let a page follow the device that the reader names. */
export const startDeviceFit = () => {
  if (!document.getElementById("device")) return;
  const [only] = all("#device-verdict");
  judgeNeeds();
  countFitting();
  drawAxes();
  judgeFirstSuggestions();
  if (!only) return;
  drawBars(Number(only.dataset.needs));
  judgeSuggestions(Number(only.dataset.needs));
};
