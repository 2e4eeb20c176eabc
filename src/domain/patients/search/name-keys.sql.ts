/** Filters of a search in patient_name_key: whether by last name, by first name, by office. */
export interface NameFilter {
  lastName: boolean;
  firstName: boolean;
  office: boolean;
}

/** A name as it is compared (domain/values/same-text.ts). */
export const foldNameSql = (name: string) => `without_separators(fold(${name}))`;

/** A prefix as it is compared. One without anything to compare starts no key. */
const foldPrefixSql = (parameter: string) => `coalesce(nullif(${foldNameSql(parameter)}, ''), chr(1114111))`;

/**
 * Condition for a key that begins with a parameter's text: a range of an index. In its collation, C, no character
 * sorts after the last code point.
 */
export const startsWith = (key: string, parameter: string) =>
  `${key} >= ${foldPrefixSql(parameter)} AND ${key} < ${foldPrefixSql(parameter)} || chr(1114111)`;

/**
 * Conditions on the keys `k`. A patient has a key for each word of the last name: of those that begin with the given
 * prefix, the first one counts.
 * @param next the number of the first parameter; they follow in the order of the filter's fields
 * @param first condition that picks the first key of each patient where no last name is given, to fit the index to be read
 * @returns the conditions, and the number of the next free parameter
 */
export function onNameKeys({ lastName, firstName, office }: NameFilter, next: number, first: string): { found: string[]; next: number } {
  const found: string[] = [];
  let parameter = next;
  if (lastName) {
    // A subquery, since a generic plan would otherwise fold the text again for each row.
    found.push(startsWith('k.last_key', `$${parameter}`), `k.shared_length < (SELECT char_length(${foldNameSql(`$${parameter}`)}))`);
    parameter += 1;
  } else {
    found.push(firstName ? 'k.ordinal = 1' : first);
  }
  if (firstName) {
    found.push(startsWith('k.first_key', `$${parameter}`));
    parameter += 1;
  }
  if (office) {
    found.push(`k.office_id = $${parameter}::int`);
    parameter += 1;
  }
  return { found, next: parameter };
}

/**
 * The keys of restricted and blocked charts beside those of the others, for callers who may see them. They are few, and computed
 * here: patient_name_key does not have them. Value $1: the organization.
 */
export const KEYS_WITH_RESTRICTED = `(
  SELECT organization_id, patient_id, ordinal, last_key, first_key, office_id, shared_length FROM patient_name_key WHERE organization_id = $1
   UNION ALL
  SELECT p.organization_id, p.id, n.ordinal, n.last_key COLLATE "C", without_separators(coalesce(p.first_name_folded, '')) COLLATE "C", p.primary_office_id, n.shared_length
    FROM patient p CROSS JOIN LATERAL name_keys(coalesce(p.last_name_folded, '')) n
   WHERE p.organization_id = $1 AND p.restricted AND p.status <> 'deleted')`;
