import { type Statement, statement } from '../../database/statement.ts';
import { type NameFilter, onNameKeys } from './name-keys.sql.ts';

/** By which names, and in which office, patients are looked for: one of eight questions. */
export type SearchKind = NameFilter;

/** Where a patient stands in a list: after the one with this key. */
export interface SearchPosition {
  lastKey: string;
  firstKey: string;
}

/** `total` is exactly how many there are; `ids` is the text of an array, one more than the page is long where there are more. */
export type FoundPage = { total: number; ids: string };

/** The statements of one question. Their values: organization, last name, first name, office, as far as they are asked for, and then: */
export interface SearchStatements {
  /** Rows, and how many to leave out before them. */
  page: Statement<FoundPage>;
  /** Rows, and the keys and the id of the patient after whom they begin. */
  pageAfter: Statement<FoundPage>;
  /** A patient: where he stands, if he is one of those found. */
  position: Statement<SearchPosition>;
}

/** Each reads a range of an index of patient_name_key, which stands in the order of the answer, and counts along one. */
function statementsOf(kind: SearchKind): SearchStatements {
  const name = `patient_search${kind.lastName ? '_last' : ''}${kind.firstName ? '_first' : ''}${kind.office ? '_office' : ''}`;
  const { found, next } = onNameKeys(kind, 2, 'k.shared_length < 0');
  const where = found.join(' AND ');
  const byFirst = kind.firstName && !kind.lastName;
  const keys = byFirst ? 'k.first_key, k.last_key' : 'k.last_key, k.first_key';
  const from = `FROM patient_name_key k WHERE k.organization_id = $1 AND ${where}`;
  // All patients are counted along the narrowest index.
  const all = !kind.lastName && !kind.firstName && !kind.office;
  const counted = all ? 'FROM patient_name_key k WHERE k.organization_id = $1 AND k.ordinal = 1' : from;
  const order = `ORDER BY ${keys}, k.patient_id LIMIT $${next} + 1`;
  const page = (ids: string) => `SELECT (SELECT count(*) ${counted})::int AS total, ARRAY(SELECT k.patient_id ${ids})::text AS ids`;
  const after = byFirst ? `($${next + 2}::text, $${next + 1}::text, ` : `($${next + 1}::text, $${next + 2}::text, `;
  return {
    page: statement(`${name}_page`, page(`${from} ${order} OFFSET $${next + 1}`)),
    pageAfter: statement(`${name}_after`, page(`${from} AND (${keys}, k.patient_id) > ${after}$${next + 3}::int) ${order}`)),
    position: statement(
      `${name}_position`,
      // `OFFSET 0`: by the patient's own keys, whatever the planner thinks of the range.
      `SELECT k.last_key AS "lastKey", k.first_key AS "firstKey"
         FROM (SELECT * FROM patient_name_key WHERE organization_id = $1 AND patient_id = $${next}::int OFFSET 0) AS k WHERE ${where}`,
    ),
  };
}

const place = ({ lastName, firstName, office }: SearchKind): number => Number(lastName) * 4 + Number(firstName) * 2 + Number(office);

const BY_KIND = Array.from({ length: 8 }, (_, at) =>
  statementsOf({ lastName: (at & 4) !== 0, firstName: (at & 2) !== 0, office: (at & 1) !== 0 }),
);

export function searchStatements(kind: SearchKind): SearchStatements {
  const found = BY_KIND[place(kind)];
  if (!found) throw new RangeError('There is no such search.');
  return found;
}
