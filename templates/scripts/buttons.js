// Buttons in the text of a page: those that copy the code beside them, and those that list the values of a group beyond those
// that its row links; the page has their numbers, and the data of the module the rest.
import { valueLink } from "./cells.js";
import { loadValues } from "./data.js";
import { make } from "./dom.js";

const SAID_MILLISECONDS = 2000;

/** Make each button that copies do so, and say that it did. */
export const startCopies = () => {
  document.querySelectorAll('button[name="copy"]').forEach((button) => {
    button.addEventListener("click", async () => {
      // Of a change, the new line.
      const code = button.parentElement?.querySelector("ins code") ?? button.parentElement?.querySelector("code");
      await navigator.clipboard.writeText(code?.textContent ?? "");
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, SAID_MILLISECONDS);
    });
  });
};

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
