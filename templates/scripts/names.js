// What values are called: one answer for tables, filters and sorting.

/**
 * Return what the bytes of a value are called: a scope of the program, an argument by its number, or an instruction.
 * @param {Values} values
 * @param {number} number
 */
export const authorName = (values, number) =>
  values.scopes[values.scope[number]] || values.labels[values.label[number]] || values.name[number];
