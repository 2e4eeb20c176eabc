import type { Db } from '../../../database/database.ts';
import { type Prepared, statement } from '../../../database/statements/statement.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { type Page, type PageRequest, totalOf, window } from '../../values/paging.ts';

/** The signs that two charts are of one person, each with its worth, of 100. */
const SIGNS = {
  'same birth date': [35, 'b.birth_date = a.birth_date'],
  'same last name': [20, "a.last_key <> '' AND b.last_key = a.last_key"],
  'same first name': [15, "a.first_key <> '' AND b.first_key = a.first_key"],
  'same telephone number': [15, 'b.phones && a.phones'],
  'same email': [10, 'b.email = a.email'],
  'same zip': [5, 'b.zip = a.zip'],
} as const;

/** Two charts, and what they have in common. */
interface DuplicateRow {
  one: number;
  other: number;
  /** Of 100. */
  score: number;
  reasons: string[];
}

/** Pairs that have enough in common are found by these: each is an equality, by which all charts are compared at once. */
const FOUND_BY = [
  'b.last_key = a.last_key AND b.first_key = a.first_key',
  'b.birth_date = a.birth_date AND b.last_key = a.last_key',
  'b.birth_date = a.birth_date AND b.first_key = a.first_key',
  'b.birth_date = a.birth_date AND b.mobile_phone = a.mobile_phone',
  'b.birth_date = a.birth_date AND b.email = a.email',
];

/** Of 100; one name and a telephone number make as much as a birth date and a last name. */
const ENOUGH = 50;

const worth = Object.values(SIGNS).map(([points, condition]) => `CASE WHEN ${condition} THEN ${points} ELSE 0 END`);
const named = Object.entries(SIGNS).map(([reason, [, condition]]) => `CASE WHEN ${condition} THEN '${reason}' END`);

/**
 * Pairs of charts that may be of one person, the surest first, then by their ids; `total` is that of all pages. Deleted, restricted and blocked
 * charts have no name keys, and are in none. Values: organization, limit, offset.
 */
const POSSIBLE_DUPLICATES = statement<DuplicateRow & { total: number }>(
  'possible_duplicates',
  `WITH chart AS MATERIALIZED (
     SELECT p.id, k.last_key, k.first_key, p.birth_date, p.mobile_phone, lower(p.email) AS email, left(p.zip, 5) AS zip,
            array_remove(ARRAY[p.mobile_phone, p.home_phone], NULL) AS phones
       FROM patient_name_key k JOIN patient p ON p.organization_id = $1 AND p.id = k.patient_id
      WHERE k.organization_id = $1 AND k.ordinal = 1 AND k.last_key || k.first_key <> ''
   ), found AS (
     ${FOUND_BY.map((condition) => `SELECT a.id AS one, b.id AS other FROM chart a JOIN chart b ON ${condition} AND a.id < b.id`).join(' UNION ')}
   ), pair AS (
     SELECT f.one, f.other, ${worth.join(' + ')} AS score, array_remove(ARRAY[${named.join(', ')}], NULL) AS reasons
       FROM found f JOIN chart a ON a.id = f.one JOIN chart b ON b.id = f.other
   )
   SELECT one, other, score, reasons, (count(*) OVER ())::int AS total FROM pair WHERE score >= ${ENOUGH}
    ORDER BY score DESC, one, other LIMIT $2::int OFFSET $3::int`,
);

/** Two charts that may be of one person. */
export interface Duplicate {
  /** By id. */
  patients: Pick<Patient, 'id' | 'firstName' | 'lastName' | 'birthDate'>[];
  /** From 0 to 1. */
  score: number;
  reasons: string[];
}

/** Pairs of charts that may be of one person, the surest first. Audited as a search. */
export async function listDuplicates(db: Db, prepared: Prepared, caller: Caller, page: PageRequest): Promise<Page<Duplicate>> {
  const { organizationId } = caller;
  const { skip, take } = window(page);
  const rows = await prepared.rows(POSSIBLE_DUPLICATES, [organizationId, take, skip]);
  const total = await totalOf(page, rows.length, () => prepared.rows(POSSIBLE_DUPLICATES, [organizationId, 1, 0]));
  const ids = [...new Set(rows.flatMap(({ one, other }) => [one, other]))];
  const patients = await db.patient.findMany({
    where: { organizationId, id: { in: ids } },
    select: { id: true, firstName: true, lastName: true, birthDate: true },
  });
  if (ids.length > 0) recordRead(caller, 'patient', ids, 'search');
  const items = rows.map(({ one, other, score, reasons }) => ({
    patients: [one, other].flatMap((id) => patients.find((patient) => patient.id === id) ?? []),
    score: score / 100,
    reasons,
  }));
  return { ...page, items, total };
}
