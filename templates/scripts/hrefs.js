// Links made from the patterns in the data: `routes.py` writes the patterns, so paths are known in one place only.

/**
 * Return the pattern with each `{name}` replaced.
 * @param {string} pattern
 * @param {Record<string, string | number>} parts
 * @returns {string}
 */
export const fill = (pattern, parts) => pattern.replace(/\{(\w+)\}/g, (_, name) => String(parts[name]));

/**
 * Return the link to a row of a table that may take several pages; `page` counts from 1.
 * @param {RowHrefs} hrefs
 * @param {number} page
 * @param {Record<string, string | number>} parts
 * @returns {string}
 */
export const rowHref = (hrefs, page, parts) => fill(page === 1 ? hrefs.row : hrefs.laterRow, { ...parts, page });

/**
 * Return the link to a value, from the module's folder.
 * @param {Pick<Values, "hrefs" | "id">} values
 * @param {number} number
 * @returns {string}
 */
export const valueHref = ({ hrefs, id }, number) => fill(hrefs.value, { name: id[number] });

/**
 * Return the link to an allocation, from the module's folder.
 * @param {Pick<Values, "hrefs" | "allocations">} values
 * @param {number} allocation
 * @returns {string}
 */
export const allocationHref = ({ hrefs, allocations }, allocation) =>
  fill(hrefs.allocation, { name: allocations.id[allocation] });
