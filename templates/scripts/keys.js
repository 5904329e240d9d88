// Single-key shortcuts for what the mouse can do as well: `?` lists them, each as a button that does the same.
import { byId, make } from "./dom.js";
import { keepText, recallText } from "./storage.js";

/** @typedef {{label: string, run: () => void}} Shortcut */

const STORE = "reportgen-keys";
const KEEPS_ITS_KEYS = "input, select, textarea, [contenteditable], [role=slider], dialog";
const shortcuts = /** @type {Map<string, Shortcut>} */ (new Map());

const areOff = () => recallText(STORE) === "off";

/** Add a shortcut: `label` says what it does. @type {(key: string, label: string, run: () => void) => void} */
export const addKey = (key, label, run) => { shortcuts.set(key, { label, run }); };

const pressed = (/** @type {KeyboardEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  const shortcut = shortcuts.get(event.key);
  if (!shortcut || areOff() || /** @type {Element} */ (event.target).closest(KEEPS_ITS_KEYS)) return;
  event.preventDefault();
  shortcut.run();
};

const makeDialog = () => {
  const dialog = make("dialog", { class: "keys", "aria-labelledby": "keys-title" });
  dialog.innerHTML = '<form method="dialog"><button aria-label="Close">×</button></form><h2 id="keys-title">Keys</h2>' +
    '<ul></ul><label><input type="checkbox"> Enable single-key shortcuts</label>';
  const box = /** @type {HTMLInputElement} */ (dialog.querySelector("input"));
  box.checked = !areOff();
  box.addEventListener("change", () => keepText(STORE, box.checked ? "on" : "off"));
  // A press outside the dialog reaches the dialog element itself, and closes it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  return dialog;
};

/** @type {(dialog: HTMLDialogElement, key: string, shortcut: Shortcut) => HTMLLIElement} */
const item = (dialog, key, { label, run }) => {
  const button = make("button", { type: "button" }, [make("kbd", {}, [key]), " ", label]);
  button.addEventListener("click", () => {
    dialog.close();
    run();
  });
  return make("li", {}, [button]);
};

/** Listen for keys, and let `?` list them. */
export const startKeys = () => {
  let dialog = /** @type {HTMLDialogElement | null} */ (null);
  const help = () => {
    const shown = dialog ??= makeDialog();
    const others = [...shortcuts].filter(([key]) => key !== "?");
    shown.querySelector("ul")?.replaceChildren(...others.map(([key, shortcut]) => item(shown, key, shortcut)));
    shown.showModal();
  };
  addKey("?", "List the keys", help);
  byId("keys-help").addEventListener("click", help);
  document.addEventListener("keydown", pressed);
};
