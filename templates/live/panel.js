// The corner of a watched page: a line that says what was rebuilt, and a panel with what changed.
// The server computes every figure and writes every sentence about one; this only shows them.
import { byId, make } from "../scripts/dom.js";
import { keep, recall } from "../scripts/storage.js";

const STORE = "reportgen-live";
const FRESH_MILLISECONDS = 8000;
const DIRECTIONS = ["live-less", "live-same", "live-more"];

const stored = () => recall(STORE) ?? {};
const store = (/** @type {object} */ changes) => keep(STORE, { ...stored(), ...changes });

const line = make("button", { type: "button", class: "live-line", "aria-expanded": "false", "aria-controls": "live-panel" });
const panel = make("section", { id: "live-panel", class: "live-panel", "aria-label": "What changed", hidden: "" });
const spoken = make("p", { class: "hidden", role: "status" });
const corner = make("aside", { id: "live", "aria-label": "Live report" }, [panel, line, spoken]);
let fading = 0;

const open = (/** @type {boolean} */ isOpen) => {
  panel.hidden = !isOpen;
  line.setAttribute("aria-expanded", String(isOpen));
  store({ open: isOpen });
};

/** Put the corner on the page, open if the reader has left it open. */
export const placePanel = () => {
  line.addEventListener("click", () => open(panel.hidden));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !corner.contains(/** @type {Node} */ (event.target))) return;
    open(false);
    line.focus();
  });
  document.body.append(corner);
  if (stored().open) open(true);
};

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

/** Keep an amount and its unit on one line, which may break before the share in parentheses. */
const unbroken = (/** @type {string} */ words) => words.replace(/ (?!\()/g, "\u00a0");

const link = (/** @type {LiveEntry} */ { href, title, label }) =>
  href ? make("a", { href: `/${href}`, title: label }, [title]) : make("span", { title: label }, [title]);

const changeCell = (/** @type {LiveAmount | null} */ amount) => amount
  ? make("td", { class: `number ${DIRECTIONS[amount.direction + 1]}` }, [unbroken(amount.words)])
  : make("td", { class: "number" }, ["–"]);

const figures = (/** @type {LiveSpace} */ { rows }) => {
  const head = ["", "Now", "Since last build", "Since start"].map((name, number) =>
    make("th", { scope: "col", class: number ? "number" : "" }, [name]));
  const body = rows.map(({ name, now, exact, previous, start }) => make("tr", {}, [
    make("th", { scope: "row" }, [name]),
    make("td", { class: "number", title: exact || "unknown" }, [unbroken(now)]),
    changeCell(previous),
    changeCell(start)
  ]));
  return make("table", {}, [make("thead", {}, [make("tr", {}, head)]), make("tbody", {}, body)]);
};

const subjectLine = (/** @type {LiveStep["subjects"][number]} */ { name, href, count, words }) => {
  const code = make("code", {}, [name]);
  return make("span", { class: "live-subject" }, [`${count} × `, href ? make("a", { href: `/${href}` }, [code]) : code, ` ${words}`]);
};

const stepItem = (/** @type {LiveStep} */ { step, subjects, more, direction, words }) => {
  const about = [step, ...subjects.map(subjectLine)];
  if (more) about.push(make("span", { class: "live-subject" }, [`and ${more.toLocaleString("en")} more`]));
  return make("li", {}, [
    make("span", {}, about),
    make("span", { class: `number ${DIRECTIONS[direction + 1]}` }, [words])
  ]);
};

const changedSteps = (/** @type {LiveSpace} */ { steps }) => steps.length ? [make("details", { open: "" }, [
  make("summary", {}, ["Steps from the last peak to this one"]),
  make("ul", { class: "live-steps" }, steps.map(stepItem))
])] : [];

const hasChanged = (/** @type {LiveSpace} */ { steps, rows }) => steps.length > 0 || rows.every(({ previous }) => previous === null) ||
  rows.some(({ previous, start }) => Boolean(previous?.direction) || Boolean(start?.direction));

const modulePart = (/** @type {LiveModule} */ { title, build, time, headline, doubts, spaces }) => {
  const shown = spaces.filter(hasChanged);
  const unchanged = shown.length ? "The other spaces have not changed." : "No space has changed.";
  return [
    make("h2", {}, [title]),
    make("p", { class: "live-when" }, [`Build ${build} at ${time}: ${headline}.`]),
    ...doubts.map((words) => make("p", { class: "missing" }, [words])),
    ...shown.flatMap((space) => [
      make("h3", {}, [`Space ${space.color} · ${space.name}`]),
      figures(space),
      ...changedSteps(space)
    ]),
    ...(shown.length < spaces.length ? [make("p", { class: "live-when" }, [unchanged])] : [])
  ];
};

const sentence = (/** @type {Outdated} */ { state, since, reason, figures }) =>
  `${state === "stale" ? "Stale" : "Being written"} since ${since}: ${reason}.` +
  (figures ? ` The figures shown are from ${figures}.` : "");

/** @template {LiveEntry} Entry
 * @param {string} heading
 * @param {Entry[]} entries
 * @param {(entry: Entry) => string} words */
const list = (heading, entries, words) => entries.length ? [
  make("h3", {}, [heading]),
  make("ul", { class: "live-list" }, entries.map((entry) => make("li", {}, [link(entry), " ", make("span", {}, [words(entry)])])))
] : [];

const fillPanel = (/** @type {LiveChanges} */ { module, build, changed, outdated }) => {
  const others = changed.filter(({ href }) => href !== (module?.href ?? null));
  const stale = outdated.filter(({ href }) => !module || href !== module.href);
  const parts = [
    ...(module ? modulePart(module) : [make("h2", {}, [`Build ${build}`])]),
    ...list(module ? "Also in the last build" : "Changed in this build", others, ({ headline }) => headline),
    ...list("Not up to date", stale, (entry) => sentence(entry.outdated))
  ];
  if (!module && !others.length && !stale.length) parts.push(make("p", {}, ["Nothing has changed."]));
  panel.replaceChildren(...parts);
};

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

/** Return in words what the last build changed in modules that the page is not about.
 * @type {(first: LiveEntry & {headline: string}, count: number) => string} */
const builtWords = (first, count) => count === 1 ? `${first.title}: ${first.headline}` : `${count} modules`;

/** Return the news of other modules, for the line of a page about one. */
const elsewhere = (/** @type {LiveChanges} */ { module, build, changed, outdated }) => {
  if (!module) return "";
  const others = module.build === build ? [] : changed.filter(({ href }) => href !== module.href);
  const stale = outdated.filter(({ href }) => href !== module.href);
  const which = stale.length === 1 ? `${stale[0].title}: ${stale[0].outdated.reason}` : `${stale.length} others not up to date`;
  return [
    ...(others.length ? [`Build ${build}: ${builtWords(others[0], others.length)}`] : []),
    ...(stale.length ? [which] : [])
  ].join("; ");
};

/** Show the state of the build that the server reports; the page may not be of that build. */
export const showChanges = (/** @type {LiveChanges} */ changes, /** @type {boolean} */ isCurrent) => {
  const { module, changed, outdated, message } = changes;
  const built = module ?? changes;
  const isFresh = stored().build !== undefined && stored().build !== changes.build;
  // Because a page that is about to be replaced must leave the news to its successor.
  if (isCurrent) store({ build: changes.build });
  fillPanel(changes);
  markOutdated(changes);
  if (message && !isFresh) return say("live", [message], true);
  const others = builtWords(changed[0], changed.length);
  const isStale = module ? module.outdated !== null : outdated.length > 0;
  const state = module ? module.outdated?.state : `${outdated.length} not up to date`;
  const title = `${isStale ? `${state} · ` : ""}Build ${built.build}, ${built.time}`;
  say(isStale ? "stale" : "live", [make("strong", {}, [title]), ` ${module ? elsewhere(changes) || module.headline : others}`], isFresh);
};

/** Show that the report is not there yet, or that the server is gone. @type {(state: "starting" | "lost", words: string) => void} */
export const showState = (state, words) => say(state, [words]);

/** Say why this page is shown instead of the one the reader had. */
export const explain = (/** @type {string} */ why) =>
  say("live", [`${why.charAt(0).toUpperCase()}${why.slice(1)}; this is the nearest page.`], true);
