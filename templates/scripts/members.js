// The values of a group beyond those that its row links: the page has their numbers, and the data of the module the rest.
import { valueLink } from "./cells.js";
import { loadValues } from "./data.js";
import { make } from "./dom.js";

const showMembers = async (/** @type {HTMLElement} */ place) => {
  const values = await loadValues(), numbers = (place.dataset.values ?? "").split(" ").map(Number);
  place.replaceWith(...numbers.flatMap((number) => [", ", valueLink(values, number)]));
};

/** Let each `and 152 more` of a group be a button that lists them. */
export const startMembers = () =>
  /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("span[data-values]")).forEach((place) => {
    const button = make("button", { type: "button", class: "members" }, [place.textContent ?? ""]);
    button.addEventListener("click", () => showMembers(place));
    place.replaceChildren(button);
  });
