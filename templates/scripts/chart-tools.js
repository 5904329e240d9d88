// Buttons below a chart to take it along, as SVG or as PNG.
import { make } from "./dom.js";
import { themeColor } from "./drawing.js";
import { saveBlob, saveText } from "./save.js";

const PIXELS_PER_UNIT = 2;

/** Return a chart as SVG in the colors that are shown now, because a file does not have the page's variables. */
const svgOf = async (/** @type {VegaView} */ view) => {
  const colors = new Map();
  const color = (/** @type {string} */ name) => {
    if (!colors.has(name)) colors.set(name, themeColor(name));
    return colors.get(name);
  };
  const svg = (await view.toSVG()).replace(/var\(--([\w-]+)\)/g, (_, name) => color(name));
  return svg.replace(/(<svg[^>]*>)/, `$1<rect width="100%" height="100%" fill="${color("background")}"/>`);
};

/** Return SVG as the pixels of a PNG. */
const pngOf = async (/** @type {string} */ svg) => {
  const image = new Image();
  // As data, because the pages' security policy refuses images from other places.
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", {
    width: String(image.width * PIXELS_PER_UNIT), height: String(image.height * PIXELS_PER_UNIT)
  });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("the chart is too large for a PNG"))));
};

/** Add the buttons to a figure; `name` names the files. @type {(figure: Element, name: string, view: VegaView) => void} */
export const addChartTools = (figure, name, view) => {
  const said = make("span", { role: "status" });
  const button = (/** @type {string} */ label, /** @type {() => Promise<void>} */ run) => {
    const made = make("button", { type: "button" }, [label]);
    made.addEventListener("click", () => run().catch((error) => {
      console.error(error);
      said.textContent = "That did not work.";
    }));
    return made;
  };
  figure.append(make("p", { class: "chart-tools" }, [
    button("SVG", async () => saveText(`${name}.svg`, "image/svg+xml", await svgOf(view))),
    button("PNG", async () => saveBlob(`${name}.png`, await pngOf(await svgOf(view)))),
    said
  ]));
};
