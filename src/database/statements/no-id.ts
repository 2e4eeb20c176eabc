/**
 * The id of no record, for a condition on rows that are joined where there are any: `p.id = NULL` would be one on no table, and where rows are on
 * several nodes, all of them would be asked.
 */
export const NONE = 0;
