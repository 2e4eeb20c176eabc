/**
 * The ids of a list, for `id = ${anyOf('$2')}`. Behind a SELECT PostgreSQL cannot see how many there are, and plans the statement once; else it
 * plans it for each list, which takes longer than to read a few rows.
 */
export const anyOf = (ids: string): string => `ANY ((SELECT ${ids}::bigint[])::bigint[])`;
