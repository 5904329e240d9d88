// Links made from the patterns in the data: `routes.py` writes the patterns, so paths are known in one place only.

/** Return the pattern with each `{name}` replaced. @type {(pattern: string, parts: Record<string, string | number>) => string} */
export const fill = (pattern, parts) => pattern.replace(/\{(\w+)\}/g, (_, name) => String(parts[name]));

/** Return the link to a row of a table that may take several pages; `page` counts from 1.
 * @type {(hrefs: RowHrefs, page: number, parts: Record<string, string | number>) => string} */
export const rowHref = (hrefs, page, parts) => fill(page === 1 ? hrefs.row : hrefs.laterRow, { ...parts, page });

/** Return the link to a value, from the module's folder. @type {(values: Pick<Values, "hrefs" | "id">, number: number) => string} */
export const valueHref = ({ hrefs, id }, number) => fill(hrefs.value, { name: id[number] });

/** Return the link to an allocation, from the module's folder.
 * @type {(values: Pick<Values, "hrefs" | "allocations">, allocation: number) => string} */
export const allocationHref = ({ hrefs, allocations }, allocation) =>
  fill(hrefs.allocation, { name: allocations.id[allocation] });
