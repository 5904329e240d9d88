// The corner of a watched page: a line that says what was rebuilt, with links to the comparison of each module.
// The server makes every sentence about a figure; this only shows them.
import { byId, make } from "../scripts/dom.js";
import { keep, recall } from "../scripts/storage.js";

const STORE = "reportgen-live";
const FRESH_MILLISECONDS = 8000;
const MOST_NAMED = 3;

const line = make("p", { class: "live-line" });
const spoken = make("p", { class: "hidden", role: "status" });
const corner = make("aside", { id: "live", "aria-label": "Live report" }, [line, spoken]);
let fading = 0;

/** Put the corner on the page. */
export const placeCorner = () => document.body.append(corner);

/** Show a message in the line. A fresh one stands out for a while, even if it is shown again meanwhile.
 * @type {(state: "live" | "stale" | "starting" | "lost", parts: (Node | string)[], isFresh?: boolean) => void} */
const say = (state, parts, isFresh = false) => {
  const words = parts.map((part) => typeof part === "string" ? part : part.textContent).join("");
  const isRepeated = !isFresh && state === "live" && line.textContent === words;
  corner.dataset.state = state;
  line.replaceChildren(make("span", { class: "live-dot", "aria-hidden": "true" }), make("span", { class: "live-words" }, parts));
  if (isRepeated) return;
  clearTimeout(fading);
  corner.classList.toggle("live-fresh", isFresh);
  if (!isFresh) return;
  spoken.textContent = words;
  fading = window.setTimeout(() => corner.classList.remove("live-fresh"), FRESH_MILLISECONDS);
};

const sentence = (/** @type {Outdated} */ { state, since, reason, figures }) =>
  `${state === "stale" ? "Stale" : "Being written"} since ${since}: ${reason}.` +
  (figures ? ` The figures shown are from ${figures}.` : "");

/** Mark on the page itself what is not up to date: the module it shows, and the rows of others. */
const markOutdated = (/** @type {LiveChanges} */ { module, outdated }) => {
  document.querySelectorAll(".live-mark, .live-badge").forEach((mark) => mark.remove());
  if (module?.outdated) byId("main").prepend(make("p", { class: "live-mark missing", role: "note" }, [sentence(module.outdated)]));
  outdated.forEach((entry) => {
    const row = entry.href && document.querySelector(`main a[href="${CSS.escape(entry.href)}"]`);
    const badge = { class: "live-badge severity warning", title: sentence(entry.outdated) };
    if (row) row.after(" ", make("span", badge, [entry.outdated.state]));
  });
};

const link = (/** @type {string | null} */ href, /** @type {string} */ text, title = "") =>
  href ? make("a", { href: `/${href}`, title }, [text]) : make("span", { title }, [text]);

/** Return what the last build changed in modules, each with a link to its comparison.
 * @type {(entries: LiveChange[]) => (Node | string)[]} */
const changeParts = (entries) => [
  ...entries.slice(0, MOST_NAMED).flatMap(({ href, title, label, headline, comparison }, number) =>
    [number ? "; " : "", link(href, title, label), ": ", link(comparison, headline)]),
  ...(entries.length > MOST_NAMED ? [` and ${entries.length - MOST_NAMED} more`] : [])
];

/** Return which modules are not up to date. @type {(entries: LiveChanges["outdated"]) => (Node | string)[]} */
const outdatedParts = (entries) => [
  ...entries.slice(0, MOST_NAMED).flatMap(({ href, title, label, outdated }, number) =>
    [number ? "; " : "", link(href, title, label), `: ${outdated.state}, ${outdated.reason}`]),
  ...(entries.length > MOST_NAMED ? [` and ${entries.length - MOST_NAMED} more not up to date`] : [])
];

/** Return the state of the module that a page is about, and the news of others.
 * @type {(module: LiveModule, changes: LiveChanges) => (Node | string)[]} */
const moduleParts = (module, { build, changed, outdated }) => {
  const others = module.build === build ? [] : changed.filter(({ href }) => href !== module.href);
  const stale = outdatedParts(outdated.filter(({ href }) => href !== module.href));
  const state = module.outdated ? `${module.outdated.state} · ` : "";
  return [
    make("strong", {}, [`${state}Build ${module.build}, ${module.time}`]), " ", link(module.comparison, module.headline),
    ...(others.length ? [`; Build ${build}: `, ...changeParts(others)] : []),
    ...(stale.length ? ["; ", ...stale] : [])
  ];
};

const siteParts = (/** @type {LiveChanges} */ { build, time, changed, outdated }) => {
  const stale = outdatedParts(outdated);
  return [
    make("strong", {}, [`Build ${build}, ${time}`]), " ", ...changeParts(changed),
    ...(stale.length ? [changed.length ? "; " : "", ...stale] : [])
  ];
};

/** Show the state of the build that the server reports; the page may not be of that build. */
export const showChanges = (/** @type {LiveChanges} */ changes, /** @type {boolean} */ isCurrent) => {
  const { build, module, outdated, message } = changes;
  const shown = recall(STORE)?.build, isFresh = shown !== undefined && shown !== build;
  // Because a page that is about to be replaced must leave the news to its successor.
  if (isCurrent) keep(STORE, { build });
  markOutdated(changes);
  if (message && !isFresh) return say("live", [message], true);
  const isStale = module ? module.outdated !== null : outdated.length > 0;
  say(isStale ? "stale" : "live", module ? moduleParts(module, changes) : siteParts(changes), isFresh);
};

/** Show that the report is not there yet, or that the server is gone. @type {(state: "starting" | "lost", words: string) => void} */
export const showState = (state, words) => say(state, [words]);

/** Say why this page is shown instead of the one the reader had. */
export const explain = (/** @type {string} */ why) =>
  say("live", [`${why.charAt(0).toUpperCase()}${why.slice(1)}; this is the nearest page.`], true);
