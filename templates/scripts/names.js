// What values are called, their class and their last use: one answer for tables, filters and sorting.

/**
 * Return what the bytes of a value are called: a scope of the program, an argument by its number, or an instruction.
 * @param {Values} values
 * @param {number} number
 */
export const authorName = (values, number) =>
  values.scopes[values.scope[number]] || values.labels[values.label[number]] || values.name[number];

/**
 * Return the class of memory that a value is in: that of its allocation.
 * @param {Pick<Values, "allocation" | "allocations" | "classes">} values
 * @param {number} number
 */
export const classOf = ({ allocation, allocations, classes }, number) => classes[allocations.class[allocation[number]]];

/**
 * Return the last moment that reads a value; -1 where unknown.
 * @param {Pick<Values, "last" | "unusualLastUse">} values
 * @param {number} number
 */
export const lastUse = ({ last, unusualLastUse }, number) => unusualLastUse[number] ?? last[number];
