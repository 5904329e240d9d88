// The peak of a memory space over the builds, as a small step chart.
import { humanBytes } from "../scripts/bytes.js";
import { make } from "../scripts/dom.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Create an SVG element.
 * @param {string} name
 * @param {Record<string, string>} attributes
 */
const svg = (name, attributes) => {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

/**
 * Return the path of a step for each amount, from zero so that a small change does not look large, in a box of 100 by 25.
 * @param {number[]} amounts
 */
export const stepPath = (amounts) => {
  const most = Math.max(...amounts) || 1, width = 100 / amounts.length;
  return amounts.map((amount, number) => {
    const y = (24 - 22 * amount / most).toFixed(2);
    return `${number ? "L" : "M"}${(number * width).toFixed(2)} ${y}H${((number + 1) * width).toFixed(2)}`;
  }).join("");
};

/**
 * Return the chart, or nothing where fewer than two peaks are known.
 * @param {LiveSpace["trend"]} points
 */
export const trend = (points) => {
  const known = points.flatMap(([build, time, peak]) => peak === null ? [] : [{ build, time, peak }]);
  if (known.length < 2) return [];
  const first = known[0], last = known[known.length - 1];
  const words = `Peak resident over ${known.length} builds: ${humanBytes(first.peak)} in build ${first.build} at ` +
    `${first.time}, ${humanBytes(last.peak)} now`;
  const path = stepPath(known.map(({ peak }) => peak));
  const drawing = svg("svg", { viewBox: "0 0 100 25", preserveAspectRatio: "none", role: "img", "aria-label": words });
  drawing.append(svg("path", { class: "live-area", d: `${path}V25H0Z` }), svg("path", { class: "live-step", d: path }));
  return [make("figure", { class: "live-trend" }, [drawing, make("figcaption", {}, [`${words}.`])])];
};
