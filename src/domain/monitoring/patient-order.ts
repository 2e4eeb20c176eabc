/** The order of records by the name of their patient: last name, then first name; a missing name comes last in both directions. */
export const byPatientName = (sort: 'asc' | 'desc') =>
  [{ patient: { lastNameFolded: { sort, nulls: 'last' } } }, { patient: { firstNameFolded: { sort, nulls: 'last' } } }] as const;
