// The search box in the header: source lines, values, allocations, shapes, opcodes, source files and instructions of the
// module that the page belongs to, all modules, the pages, and the terms of the help pages.
// An ARIA combobox: the box keeps the focus, arrows move through the results, Enter opens one, Escape closes.
import { isModulePage, loadInstructions, loadModules, loadTerms, loadValues, root } from "./data.js";
import { byId, make } from "./dom.js";
import { find, ofAllocations, ofGroups, ofInstructions, ofLines, ofModules, ofPages, ofValues } from "./search-index.js";

/** @typedef {import("./search-index.js").Index} Index */

/** Return the views of the module and the help pages, as the page links them. */
const ownPages = () => {
  const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("nav.tabs > a, nav.help-pages a"));
  return ofPages("page", [...links].map((link) => ({ name: link.textContent ?? "", href: link.href, about: "" })));
};

const ofTerms = (/** @type {Terms} */ terms) => ofPages("help", terms.name.map((name, number) =>
  ({ name, href: root() + terms.href[number], about: terms.page[number] })));

/** Return the indexes, those with few entries first, because many values would crowd them out. */
const loadIndexes = async () => {
  const indexes = await Promise.all([
    ownPages(),
    ...(isModulePage() ? [
      loadValues().then((values) => [ofLines(values), ...ofGroups(values), ofValues(values), ofAllocations(values)]),
      loadInstructions().then(ofInstructions)
    ] : []),
    loadModules().then((modules) => ofModules(modules, root())),
    loadTerms().then(ofTerms)
  ]);
  return indexes.flat();
};

/** @type {(result: import("./search-index.js").Result, number: number) => HTMLAnchorElement} */
const option = ({ kind, name, reason, amount, href }, number) => {
  const part = (/** @type {string} */ part, /** @type {string} */ text) => make("span", { class: `result-${part}` }, [text]);
  const attributes = { id: `search-result-${number}`, href, tabindex: "-1", role: "option", "aria-selected": "false" };
  return make("a", attributes, [
    part("name", name), " ", part("size", amount), " ", part("kind", kind), " ", part("reason", reason)
  ]);
};

const countSentence = (/** @type {number} */ total, /** @type {number} */ shown) => {
  if (total > shown) return `The first ${shown} of ${total.toLocaleString("en")} results`;
  return total === 1 ? "1 result" : `${total.toLocaleString("en")} results`;
};

/** Let the reader search. */
export const startSearch = () => {
  const box = /** @type {HTMLInputElement} */ (byId("search"));
  const panel = byId("search-panel"), list = byId("search-results"), count = byId("search-count");
  let loading = /** @type {Promise<void> | null} */ (null);
  let indexes = /** @type {Index[] | null} */ (null);
  let active = -1;

  // Loaded at the first focus, so that a page which is only read loads nothing.
  const load = () => {
    loading ??= loadIndexes().then((made) => {
      indexes = made;
      show();
    }, (error) => {
      console.error(error);
      count.textContent = "The search could not load its data.";
    });
  };

  const activate = (/** @type {number} */ number) => {
    list.children[active]?.setAttribute("aria-selected", "false");
    active = number;
    const chosen = list.children[active];
    if (!chosen) return box.removeAttribute("aria-activedescendant");
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", chosen.id);
  };

  const open = (/** @type {boolean} */ isOpen) => {
    panel.hidden = !isOpen;
    box.setAttribute("aria-expanded", String(isOpen));
    activate(-1);
  };

  const show = () => {
    const query = box.value.trim();
    open(query !== "");
    if (!query) return;
    if (!indexes) {
      count.textContent = "Loading…";
      return;
    }
    const found = find(indexes, query);
    list.replaceChildren(...found.results.map(option));
    list.hidden = !found.total;
    count.textContent = countSentence(found.total, found.results.length);
  };

  const move = (/** @type {number} */ step) => {
    const total = list.children.length;
    if (panel.hidden) show();
    else if (total) activate(active < 0 ? (step > 0 ? 0 : total - 1) : (active + step + total) % total);
  };

  // Closes the list first, then clears the words, then leaves the box.
  const close = () => {
    if (!panel.hidden) open(false);
    else if (box.value) box.value = "";
    else box.blur();
  };

  const choose = () => {
    const chosen = list.children[Math.max(active, 0)];
    if (!panel.hidden && chosen) /** @type {HTMLElement} */ (chosen).click();
  };

  const actions = new Map([["ArrowDown", () => move(1)], ["ArrowUp", () => move(-1)], ["Enter", choose], ["Escape", close]]);

  box.addEventListener("focus", load);
  box.addEventListener("input", () => { load(); show(); });
  box.addEventListener("keydown", (event) => {
    const action = actions.get(event.key);
    if (event.isComposing || !action) return;
    event.preventDefault();
    action();
  });
  box.addEventListener("blur", (event) => {
    if (!panel.contains(/** @type {Node | null} */ (event.relatedTarget))) open(false);
  });
  // A press on a result must not take the focus, because the list would be gone before the click.
  panel.addEventListener("mousedown", (event) => event.preventDefault());
  // A link to a place on this very page does not load another, so the list must be closed here.
  list.addEventListener("click", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) open(false);
  });
};
