import { statement } from '../../../database/statements/statement.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { LEAST_SCORE, type Sign, type SignConditions, writeReason, writeScore } from '../../patients/registration/possible-matches.sql.ts';
import type { Tx } from '../../tx.ts';
import { countTotal, type Page, type PageRequest, window } from '../../values/paging.ts';

/** SQL of each sign, of two charts `a` and `b`. */
const HAS: SignConditions = {
  birthDate: 'b.birth_date = a.birth_date',
  lastName: "(a.last_key <> '' AND b.last_key = a.last_key)",
  firstName: "(a.first_key <> '' AND b.first_key = a.first_key)",
  phone: 'b.phones && a.phones',
  email: 'b.email = a.email',
  zip: 'b.zip = a.zip',
  ssn: 'b.ssn_hash = a.ssn_hash',
};
const WORDS: Readonly<Record<Sign, string>> = {
  birthDate: 'same birth date',
  lastName: 'same last name',
  firstName: 'same first name',
  phone: 'same telephone number',
  email: 'same email',
  zip: 'same zip',
  ssn: 'same social security number',
};

/** Two charts, and what they have in common. */
interface DuplicateRow {
  one: number;
  other: number;
  score: number;
  reasons: Sign[];
}

/** Pairs that have a reason to be of one person are found by these: each is an equality, by which all charts are compared at once. */
const FOUND_BY = [
  'b.last_key = a.last_key AND b.first_key = a.first_key',
  'b.birth_date = a.birth_date AND b.last_key = a.last_key',
  'b.birth_date = a.birth_date AND b.first_key = a.first_key',
  'b.birth_date = a.birth_date AND b.mobile_phone = a.mobile_phone',
  'b.birth_date = a.birth_date AND b.email = a.email',
];

const signs = Object.entries(HAS).map(([sign, condition]) => `CASE WHEN ${condition} THEN '${sign}' END`);

/**
 * Pairs of charts that may be of one person, the surest first, then by their ids; `total` is that of all pages. Deleted, restricted and blocked
 * charts have no name keys, and are in none. Values: organization, limit, offset.
 */
const POSSIBLE_DUPLICATES = statement<DuplicateRow & { total: number }>(
  'possible_duplicates',
  `WITH chart AS MATERIALIZED (
     SELECT p.id, k.last_key, k.first_key, p.birth_date, p.mobile_phone, lower(p.email) AS email, left(p.zip, 5) AS zip, p.ssn_hash,
            array_remove(ARRAY[p.mobile_phone, p.home_phone], NULL) AS phones
       FROM patient_name_key k JOIN patient p ON p.organization_id = $1 AND p.id = k.patient_id
      WHERE k.organization_id = $1 AND k.ordinal = 1 AND k.last_key || k.first_key <> ''
   ), found AS (
     ${FOUND_BY.map((condition) => `SELECT a.id AS one, b.id AS other FROM chart a JOIN chart b ON ${condition} AND a.id < b.id`).join(' UNION ')}
   ), pair AS (
     SELECT f.one, f.other, ${writeScore(HAS)} AS score, array_remove(ARRAY[${signs.join(', ')}], NULL) AS reasons
       FROM found f JOIN chart a ON a.id = f.one JOIN chart b ON b.id = f.other
      WHERE ${writeReason(HAS)} IS NOT NULL
   )
   SELECT one, other, score, reasons, (count(*) OVER ())::int AS total FROM pair WHERE score >= ${LEAST_SCORE}
    ORDER BY score DESC, one, other LIMIT $2::int OFFSET $3::int`,
);

/** Two charts that may be of one person. */
export interface Duplicate {
  /** By id. */
  patients: Pick<Patient, 'id' | 'firstName' | 'lastName' | 'birthDate'>[];
  /** Points, as those of a registration's possible matches. */
  score: number;
  reasons: string[];
}

/** Pairs of charts that may be of one person, the surest first. Audited as a search. */
export async function listDuplicates(tx: Tx, page: PageRequest): Promise<Page<Duplicate>> {
  const { skip, take } = window(page);
  const rows = await tx.rows(POSSIBLE_DUPLICATES, [take, skip]);
  const total = await countTotal(page, rows.length, () => tx.rows(POSSIBLE_DUPLICATES, [1, 0]));
  const ids = [...new Set(rows.flatMap(({ one, other }) => [one, other]))];
  const patients = await tx.prisma.patient.findMany({
    where: { ...tx.practice, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true, birthDate: true },
  });
  if (ids.length > 0) recordRead(tx, 'patient', ids, 'search');
  const items = rows.map(({ one, other, score, reasons }) => ({
    patients: [one, other].flatMap((id) => patients.find((patient) => patient.id === id) ?? []),
    score,
    reasons: reasons.map((sign) => WORDS[sign]),
  }));
  return { ...page, items, total };
}
