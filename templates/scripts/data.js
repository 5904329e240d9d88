// Data, loaded when it is first needed: through a script element, because a page from file:// must not fetch.
// Each data file calls `Report.put(name, data)`, the only name that these scripts share with the page. A report in a
// single file holds the data itself.
import { make } from "./dom.js";

const loaded = /** @type {Map<string, Promise<any>>} */ (new Map());
const receivers = /** @type {Map<string, (data: any) => void>} */ (new Map());

/** Return large data, and those of a report in a single file: JSON, compressed, in base 64. @type {(text: string) => Promise<any>} */
const unpacked = (text) => {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};

/** Let the data files hand over what they hold. */
export const acceptData = () => {
  const put = (/** @type {string} */ name, /** @type {any} */ data) =>
    receivers.get(name)?.(typeof data === "string" ? unpacked(data) : data);
  Object.assign(window, { Report: { put } });
};

/** Load the file at `href` once and return its data. @type {(name: string, href: string) => Promise<any>} */
const load = (name, href) => {
  const known = loaded.get(name);
  if (known) return known;
  const promise = new Promise((resolve, reject) => {
    const inside = document.getElementById(`data-${name}`);
    if (inside) return resolve(unpacked(inside.textContent ?? ""));
    receivers.set(name, resolve);
    const script = make("script", { src: href });
    script.onerror = () => reject(new Error(`cannot load ${script.src}`));
    document.head.append(script);
  });
  loaded.set(name, promise);
  return promise;
};

const page = () => document.documentElement.dataset;

/** Say whether the page belongs to a module. */
export const isModulePage = () => page().shards !== undefined;

/** Say whether the page is a report in a single file. */
export const isSingleFile = () => page().single !== undefined;

/** Return the way from the page to the site's root. */
export const root = () => page().root ?? "";

/** @type {() => Promise<Values>} */
export const loadValues = () => load("values", `${page().shards}values.js`);
/** @type {() => Promise<Timeline>} */
export const loadTimeline = () => load("timeline", `${page().shards}timeline.js`);
/** @type {() => Promise<Instructions>} */
export const loadInstructions = () => load("instructions", `${page().shards}instructions.js`);
/** @type {() => Promise<Record<string, Change>>} */
export const loadChanges = () => load("advice", `${page().shards}advice.js`);
/** @type {() => Promise<Modules>} */
export const loadModules = () => load("modules", page().modules ?? "");
/** @type {() => Promise<Terms>} */
export const loadTerms = async () => load("terms", root() + (await loadModules()).hrefs.terms);
