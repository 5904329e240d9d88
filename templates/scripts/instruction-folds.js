// A fold of the table of instructions, one row for several that hardly change memory, opens to the rows of these.
import { make } from "./dom.js";

/** Let the reader open a fold; `rowsOf` makes the rows of its first moment to its last.
 * @type {(fold: HTMLTableRowElement, rowsOf: (first: number, last: number) => Promise<HTMLTableRowElement[]>) => void} */
export const startFold = (fold, rowsOf) => {
  const cell = fold.cells[fold.cells.length - 1];
  const button = make("button", { type: "button" }, [cell.textContent ?? ""]);
  cell.replaceChildren(button);
  button.addEventListener("click", async () => {
    const rows = await rowsOf(Number(fold.dataset.first), Number(fold.dataset.last));
    fold.replaceWith(...rows);
    // They are within the brackets that the fold is in, and the keyboard goes on where the button was.
    rows.forEach((row) => { row.className = fold.className.replace("fold", ""); });
    rows[0].tabIndex = -1;
    rows[0].focus({ preventScroll: true });
  });
};
