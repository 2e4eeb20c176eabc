const NAMES = new Map([
  ['D', 'Divorced'],
  ['M', 'Married'],
  ['S', 'Single'],
  ['U', 'Unknown'],
  ['W', 'Widowed'],
  ['X', 'Separated'],
  ['P', 'Partner'],
]);

/** The name of a marital status of the practice document; null for an unknown letter. */
export const maritalStatusName = (code: string): string | null => NAMES.get(code) ?? null;
