/** Which patients are looked for in patient_name_key: by which names, and in which office. */
export interface NameFilter {
  lastName: boolean;
  firstName: boolean;
  office: boolean;
}

/**
 * A folded key that begins with what a parameter holds: a range of an index, whose collation is C, where no character sorts
 * after the last code point.
 */
export const startsWith = (key: string, parameter: number) =>
  `${key} >= fold($${parameter}) AND ${key} < fold($${parameter}) || chr(1114111)`;

/**
 * Conditions on the keys `k`. A patient has a key for each word of the last name: of those that begin with the given
 * prefix, the first one counts.
 * @param next the number of the first parameter; they follow in the order of the filter's fields
 * @param first picks the first key of each patient where no name is given, in the words of the index that is read
 * @returns the conditions, and the number of the parameter that comes after theirs
 */
export function onNameKeys({ lastName, firstName, office }: NameFilter, next: number, first: string): { found: string[]; next: number } {
  const found: string[] = [];
  let parameter = next;
  if (lastName) {
    // As a subquery: a plan for any values would fold anew for each row, and it is no part of the range.
    found.push(startsWith('k.last_key', parameter), `k.shared_length < (SELECT char_length(fold($${parameter})))`);
    parameter += 1;
  } else {
    found.push(firstName ? 'k.ordinal = 1' : first);
  }
  if (firstName) {
    found.push(startsWith('k.first_key', parameter));
    parameter += 1;
  }
  if (office) {
    found.push(`k.office_id = $${parameter}::int`);
    parameter += 1;
  }
  return { found, next: parameter };
}
