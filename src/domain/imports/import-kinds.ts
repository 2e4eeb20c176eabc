export const IMPORT_KINDS = [
  'patients',
  'appointments',
  'insurances',
  'contacts',
  'readings',
  'balances',
  'claims',
  'portal-accounts',
] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** Choices for a row of a person who has a chart. */
export const DECISIONS = ['skip', 'update', 'create'] as const;
export type Decision = (typeof DECISIONS)[number];
