/** The SQL of each field of a row. */
export type Columns<R> = { readonly [F in keyof R]-?: string };

/** One JSON object of the row `of`; null where there is none. */
export const findObject = <R>(of: string, columns: Columns<R>): string => `CASE WHEN ${of}.id IS NOT NULL THEN ${buildObject(columns)} END`;

/** One JSON object. */
export const buildObject = <R>(columns: Columns<R>): string =>
  `json_build_object(${Object.entries<string>(columns)
    .map(([field, sql]) => `'${field}', ${sql}`)
    .join(', ')})`;

/** The select list. */
export const selectFields = <R>(columns: Columns<R>): string =>
  Object.entries<string>(columns)
    .map(([field, sql]) => `${sql} AS "${field}"`)
    .join(', ');
