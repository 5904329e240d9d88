// The theme's colors for what CSS cannot reach: a canvas, and the colors that a chart takes as data.

/** Return a custom property of theme.css as the color that is shown now, such as `rgb(0, 114, 178)`. */
export const themeColor = (/** @type {string} */ name) => {
  // The property itself reads `light-dark(…)`; only a color of an element is computed.
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
};
