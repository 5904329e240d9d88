// Segmented controls: a choice of one of a few, which the state of the page keeps, and the parts of the page that it chooses
// among. A part that lacks what is chosen, as the smaller memory spaces may, shows its first.
import * as State from "./state.js";

/** Show in each group of parts the chosen one. */
const showParts = (/** @type {string} */ key, /** @type {string} */ value) => {
  const parts = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(`[data-part-of="${key}"]`)]);
  const groups = new Set(parts.map((part) => part.parentElement));
  groups.forEach((group) => {
    const of = parts.filter((part) => part.parentElement === group);
    const chosen = of.find((part) => part.dataset.part === value) ?? of[0];
    of.forEach((part) => {
      part.hidden = part !== chosen;
      part.classList.remove("later");
    });
  });
};

const startChoice = (/** @type {HTMLFieldSetElement} */ field) => {
  const key = field.dataset.choice ?? "", inputs = [...field.querySelectorAll("input")];
  const drops = Object.fromEntries((field.dataset.drops ?? "").split(" ").filter(Boolean).map((name) => [name, null]));
  const first = inputs.find((input) => input.defaultChecked) ?? inputs[0];
  const show = () => {
    const chosen = inputs.find((input) => input.value === State.get(key)) ?? first;
    chosen.checked = true;
    showParts(key, chosen.value);
  };
  field.addEventListener("change", (event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    State.set({ [key]: value || null, ...drops });
  });
  State.onChange((keys) => { if (keys.includes(key)) show(); });
  show();
};

/** Let every segmented control of the page show and change its choice. */
export const startSegmented = () => document.querySelectorAll("fieldset[data-choice]").forEach((field) =>
  startChoice(/** @type {HTMLFieldSetElement} */ (field)));
