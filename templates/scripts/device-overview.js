// The overview where the reader names the device of modules whose own is not known: how many fit, and what is left of
// it after each module.
import { bytesCell } from "./cells.js";
import { humanBytes } from "./bytes.js";
import { chosenOption, followDevice } from "./device.js";
import { make } from "./dom.js";

/**
 * Return what the cell of a module says.
 * @param {number} excess
 */
const cellOf = (excess) => excess > 0
  ? make("span", { class: "severity error" }, ["over by ", ...bytesCell(excess).childNodes])
  : make("span", {}, [`${humanBytes(-excess)} left`, make("data", { value: String(excess) })]);

/** Say how many modules fit, in the card that asks for the device. */
const startCard = () => {
  const card = document.getElementById("device")?.closest(".card");
  const figure = card?.querySelector(".figure"), words = card?.querySelector(".fit-words");
  if (!figure || !words) return;
  const own = [figure.textContent, ...words.childNodes], wasBad = words.classList.contains("bad");
  followDevice((capacity) => {
    const { count = "", words: said = "", bad } = capacity === null ? {} : chosenOption().dataset;
    figure.textContent = capacity === null ? String(own[0]) : count;
    words.replaceChildren(...(capacity === null ? /** @type {Node[]} */ (own.slice(1)) : [said]));
    words.classList.toggle("bad", capacity === null ? wasBad : bad !== undefined);
  });
};

/** Let the card and the table of the overview follow the device that the reader names. */
export const startDeviceOverview = () => {
  const table = document.getElementById("modules-table");
  const cells = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#modules-table [data-needs]"));
  if (!table || !cells.length) return;
  startCard();
  const unknown = [...cells].map((cell) => [...cell.childNodes]);
  followDevice((capacity) => {
    table.classList.toggle("has-device", capacity !== null);
    cells.forEach((cell, place) => cell.replaceChildren(
      ...(capacity === null ? unknown[place] : [cellOf(Number(cell.dataset.needs) - capacity)])
    ));
  });
};
