// Says on which other pages of the table of modules the filter finds something.
import { loadModules } from "./data.js";
import { make } from "./dom.js";
import { rowHref } from "./hrefs.js";
import * as State from "./state.js";
import { holdsAll, wordsOf } from "./words.js";

/** Return how many modules match on each page but this one.
 * @type {(modules: Modules, words: string[], own: number) => Map<number, number>} */
export const matchesElsewhere = (modules, words, own) => {
  const found = new Map();
  modules.name.forEach((name, number) => {
    const text = `${name}\nbackend:${modules.backend[number]}\n${modules.path[number]}`.toLowerCase();
    const page = modules.page[number];
    if (page !== own && holdsAll(text, words)) found.set(page, (found.get(page) ?? 0) + 1);
  });
  return found;
};

/** Follow the filter, where the table of modules takes several pages. */
export const startOtherPages = () => {
  const place = document.getElementById("other-pages");
  if (!place) return;

  const show = async () => {
    const query = State.get("filter");
    place.replaceChildren();
    if (!query) return;
    const modules = await loadModules();
    // The reader may have typed on meanwhile.
    if (State.get("filter") !== query) return;
    const found = matchesElsewhere(modules, wordsOf(query), Number(place.dataset.page));
    if (found.size) place.append("and modules elsewhere: ");
    found.forEach((count, page) => {
      const href = rowHref(modules.hrefs, page, {}) + location.hash;
      place.append(make("a", { href }, [`${count.toLocaleString("en")} on page ${page}`]), " ");
    });
  };

  State.onChange((keys) => { if (keys.includes("filter")) show(); });
  show();
};
