// Keeps a page that `reportgen watch` serves up to date. The server adds this script; no file of a site has it.
// One page listens for all open ones, because a browser opens no more than six connections to a server: the visible
// page that holds a lock. It tells the others that something has changed; each then asks for its own changes.
import { isAnchor } from "../scripts/fragment.js";
import { keep, recall } from "../scripts/storage.js";
import { explain, placeCorner, showChanges, showState } from "./corner.js";
import { keepPlace, restorePlace } from "./reading-place.js";

const STORE = "reportgen-live-tried";
const LOCK = "reportgen-live";
const LOST_MILLISECONDS = 700;
const MOST_RETRY_MILLISECONDS = 5000;

const me = /** @type {HTMLScriptElement} */ (document.currentScript).dataset;
const page = me.page ?? "", version = me.version ?? "";
const channel = "BroadcastChannel" in window ? new BroadcastChannel(LOCK) : null;
let source = /** @type {EventSource | null} */ (null);
let release = /** @type {((value?: unknown) => void) | null} */ (null);
let waiting = /** @type {AbortController | null} */ (null);
let isPressed = false, isAsking = false, again = false, retry = 0, lost = 0;

// Each compilation numbers its values differently, so a value is found by its name.
const valueName = () =>
  /^#v\d/.test(location.hash) ? document.querySelector(".own.open")?.getAttribute("data-name") ?? "" : "";

const isBusy = () => isPressed || document.querySelector("dialog[open]") !== null;

const wasTried = (/** @type {string} */ version) => {
  const before = recall(STORE), now = `${page} ${version}`;
  keep(STORE, now);
  return before === now;
};

/** Load the page that the changes name and return true, unless loading it has not helped before. */
const move = (/** @type {LiveChanges} */ { path, version, why, place }) => {
  if (path === page && wasTried(version)) return false;
  keepPlace(path);
  // Choices in the address stay; the id of a value may be another one now.
  const hash = place && location.hash && isAnchor(location.hash.slice(1)) ? `#${place}` : location.hash;
  if (path !== page) location.replace(`/${path}${why ? `?why=${encodeURIComponent(why)}` : ""}${hash}`);
  else {
    history.replaceState(history.state, "", hash || location.pathname);
    location.reload();
  }
  return true;
};

const heard = (/** @type {LiveChanges} */ changes) => {
  clearTimeout(lost);
  lost = 0;
  if (changes.starting) return showState("starting", "Building the report…");
  const isOther = changes.path !== page || changes.version !== version;
  if (isOther && (isBusy() || move(changes))) return;
  showChanges(changes, !isOther);
};

const failed = () => {
  const words = "Connection lost; this page is as it was. Trying again…";
  lost ||= window.setTimeout(() => showState("lost", words), LOST_MILLISECONDS);
};

const ask = async () => {
  if (document.hidden) return;
  if (isAsking) {
    again = true;
    return;
  }
  isAsking = true;
  const query = new URLSearchParams({ page, version, name: valueName() });
  const changes = await fetch(`/-/changes?${query}`).then((answer) => answer.json()).catch(() => null);
  isAsking = false;
  if (changes) heard(changes); else failed();
  if (!again) return;
  again = false;
  ask();
};

const react = (/** @type {"changed" | "lost"} */ kind) => kind === "changed" ? ask() : failed();

const pass = (/** @type {"changed" | "lost"} */ kind) => {
  channel?.postMessage(kind);
  react(kind);
};

const listen = () => {
  const opened = source = new EventSource("/-/events");
  opened.onmessage = () => {
    retry = 0;
    pass("changed");
  };
  opened.onerror = () => {
    pass("lost");
    if (source?.readyState !== EventSource.CLOSED) return;
    retry = Math.min(MOST_RETRY_MILLISECONDS, 2 * retry + 500);
    setTimeout(() => { if (source?.readyState === EventSource.CLOSED) listen(); }, retry);
  };
};

const stop = () => {
  waiting?.abort();
  release?.();
  source?.close();
  waiting = release = source = null;
};

const start = () => {
  if (document.hidden || waiting || source) return;
  ask();
  if (!channel || !navigator.locks) return listen();
  waiting = new AbortController();
  navigator.locks.request(LOCK, { signal: waiting.signal }, () => new Promise((resolve) => {
    release = resolve;
    listen();
  })).catch(() => { /* the page was hidden before its turn */ });
};

const explainAddress = () => {
  const address = new URL(location.href), why = address.searchParams.get("why");
  if (why === null) return;
  address.searchParams.delete("why");
  history.replaceState(history.state, "", address);
  explain(why);
};

// A page must not be replaced under a press; what was missed meanwhile is asked for after it.
addEventListener("pointerdown", () => { isPressed = true; }, true);
["pointerup", "pointercancel"].forEach((kind) => addEventListener(kind, () => {
  isPressed = false;
  setTimeout(ask, 0);
}, true));
addEventListener("close", ask, true);
channel?.addEventListener("message", (event) => react(event.data));
document.addEventListener("visibilitychange", () => document.hidden ? stop() : start());
addEventListener("pagehide", stop);
addEventListener("pageshow", start);
placeCorner();
restorePlace(page);
explainAddress();
start();
