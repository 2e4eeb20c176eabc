import { type Statement, statement, written } from '../../../database/statement.ts';
import { startsWith } from '../../patients/name-keys.sql.ts';

/** Whom the practice talks to: a listed patient, or a number that is no patient's. */
export interface ContactRow {
  id: number;
  /** The same as the id; null for a number that is no patient's. */
  patient_id: number | null;
  first_name: string | null;
  last_name: string | null;
  /** The patient's mobile number, or the number that is no patient's. */
  phone: string | null;
  home_phone: string | null;
  work_phone: string | null;
  email: string | null;
  tags: { id: number; name: string; color: string; linkId: number }[];
  created_at: string;
  updated_at: string;
}

/** Values: organization, ids. In no order. */
export const CONTACTS_BY_ID: Statement<ContactRow> = statement(
  'contacts',
  `SELECT s.*, (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'color', t.color, 'linkId', l.id)
                                         ORDER BY fold(t.name), t.id), '[]')
                  FROM contact_contact_tag l JOIN contact_tag t ON t.organization_id = l.organization_id AND t.id = l.contact_tag_id
                 WHERE l.organization_id = $1 AND l.contact_id = s.id) AS tags
     FROM (SELECT p.id, p.id AS patient_id, p.first_name, p.last_name, p.mobile_phone AS phone, p.home_phone, p.work_phone, p.email,
                  ${written('p.created_at')} AS created_at, ${written('p.updated_at')} AS updated_at
             FROM patient p JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1
            WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])
           UNION ALL
           SELECT c.id, NULL, c.first_name, c.last_name, c.phone, NULL, NULL, c.email, ${written('c.created_at')}, ${written('c.updated_at')}
             FROM contact c WHERE c.organization_id = $1 AND c.patient_id IS NULL AND c.id = ANY ($2::int[])) AS s`,
);

/**
 * The listed patient whom a number means: whose mobile number it is before whose home it is, an enterprise chart before its
 * copies, an active patient before others, then the lower id. So it is the same one wherever it is asked.
 */
export const patientByNumberSql = (columns: string, organization: string, number: string) => `
  SELECT ${columns} FROM patient p JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1
   WHERE p.organization_id = ${organization} AND (p.mobile_phone = ${number} OR p.home_phone = ${number})
   ORDER BY coalesce(p.mobile_phone = ${number}, false) DESC, (p.enterprise_id IS NULL) DESC, (p.status = 'active') DESC, p.id LIMIT 1`;

/** Values: organization, number. */
export const PATIENT_BY_NUMBER = statement<{ id: number }>('patient_of_number', patientByNumberSql('p.id', '$1', '$2'));

/** What a list of contacts is in the order of; ties are in order of the id. */
export type ContactOrder = 'lastName' | 'firstName' | 'id';

export type NameSearch = 'name' | 'names' | 'number' | null;

/**
 * Which contacts. `name`: one text, with which the last name, a word of it, or the first name begins. `names`: that text,
 * and the two that it consists of, one of which the first name begins with and the other the last. `number`: two starts of
 * a number in E.164, of which one is enough.
 */
export interface ContactFilter {
  search: NameSearch;
  tag: boolean;
}

export interface ContactListing {
  filter: ContactFilter;
  order: ContactOrder;
  descending: boolean;
}

/** The ids of a page, in order. Values: organization, limit, offset, then those of the filter: texts of the search, tag id. */
export function contactPage({ filter, order, descending }: ContactListing): Statement<{ id: number }> {
  const direction = descending ? 'DESC' : 'ASC';
  const { patient, unknown, terms } = ORDERS[order];
  const sorted = `ORDER BY ${terms.map((term) => `${term} ${direction}`).join(', ')}`;
  const all = filter.search === null && !filter.tag && order === 'lastName';
  // Each half is cut where the page ends: so both come out of their indexes in order, and no further than that.
  const half = (shown: string, from: string) => `(SELECT ${shown} FROM ${from} ${sorted} LIMIT $2::int + $3::int)`;
  return statement(
    `contact_page_${filterName(filter)}_${order}_${direction}`,
    `SELECT s.id FROM (${half(patient, patientsSql(filter, 4, all))} UNION ALL ${half(unknown, unknownNumbersSql(filter, 4))}) AS s
      ${sorted} LIMIT $2::int OFFSET $3::int`,
  );
}

/** How many there are. Values: organization, then those of the filter. */
export function contactCount(filter: ContactFilter): Statement<{ total: number }> {
  return statement(
    `contact_count_${filterName(filter)}`,
    `SELECT ((SELECT count(*) FROM ${patientsSql(filter, 2, false)}) + (SELECT count(*) FROM ${unknownNumbersSql(filter, 2)}))::int AS total`,
  );
}

const filterName = ({ search, tag }: ContactFilter) => `${search ?? 'all'}${tag ? '_tag' : ''}`;

/** Each of both halves stands in the order in an index of its own: a page is a merge of the two. */
const ORDERS = {
  lastName: {
    patient: 'k.patient_id AS id, k.last_key, k.first_key',
    unknown: 'c.id, c.last_key, c.first_key',
    terms: ['last_key', 'first_key', 'id'],
  },
  firstName: {
    patient: 'k.patient_id AS id, k.last_key, k.first_key',
    unknown: 'c.id, c.last_key, c.first_key',
    terms: ['first_key', 'last_key', 'id'],
  },
  id: { patient: 'k.patient_id AS id', unknown: 'c.id', terms: ['id'] },
} as const;

/** @param byLast whether the first key of each patient is picked from the index that stands in the order of the last names */
function patientsSql({ search, tag }: ContactFilter, next: number, byLast: boolean): string {
  const found = search === null ? [] : [patientSearchSql(search, next)];
  const tagged = tag ? [taggedContactsSql(next + searchValueCount(search))] : [];
  const ids = [...found, ...tagged].map((one) => `(${one})`).join(' INTERSECT ');
  if (ids === '') return `patient_name_key k WHERE k.organization_id = $1 AND ${byLast ? 'k.shared_length < 0' : 'k.ordinal = 1'}`;
  // `OFFSET 0`: by the patients' own keys, whatever the planner thinks of how many are found.
  return `(${ids}) AS f (id) CROSS JOIN LATERAL (
            SELECT m.patient_id, m.last_key, m.first_key FROM patient_name_key m
             WHERE m.organization_id = $1 AND m.patient_id = f.id AND m.ordinal = 1 OFFSET 0) AS k`;
}

function unknownNumbersSql({ search, tag }: ContactFilter, next: number): string {
  const conditions = ['u.organization_id = $1', 'u.patient_id IS NULL'];
  if (search === 'number') conditions.push(numberCondition('u.phone', next));
  else if (search !== null) conditions.push(`(${nameConditions('u', search, next).join(' OR ')})`);
  if (tag) conditions.push(`u.id IN (${taggedContactsSql(next + searchValueCount(search))})`);
  const all = search === null && !tag;
  return all
    ? `contact c WHERE c.organization_id = $1 AND c.patient_id IS NULL`
    : `(SELECT * FROM contact u WHERE ${conditions.join(' AND ')} OFFSET 0) AS c`;
}

/** How many texts a search has. */
const searchValueCount = (search: ContactFilter['search']) =>
  ({ name: 1, names: 3, number: 2 })[search ?? 'number'] * Number(search !== null);

const taggedContactsSql = (parameter: number) =>
  `SELECT l.contact_id FROM contact_contact_tag l WHERE l.organization_id = $1 AND l.contact_tag_id = $${parameter}::int`;

/** The ids of the patients who are searched for. Each way to match is a range of an index of its own. */
export function patientSearchSql(search: NonNullable<NameSearch>, next: number): string {
  if (search === 'number')
    return ['mobile_phone', 'home_phone']
      .map((column) => `SELECT p.id FROM patient p WHERE p.organization_id = $1 AND ${numberCondition(`p.${column}`, next)}`)
      .join(' UNION ');
  return nameConditions('n', search, next)
    .map((condition) => `SELECT n.patient_id FROM patient_name_key n WHERE n.organization_id = $1 AND ${condition}`)
    .join(' UNION ');
}

/** The ways in which a name matches. Those of a patient's first name alone are looked for in the one key that is the first. */
function nameConditions(keys: 'n' | 'u', search: 'name' | 'names', next: number): string[] {
  const [last, first] = [`${keys}.last_key`, `${keys}.first_key`];
  const once = keys === 'n' ? ' AND n.ordinal = 1' : '';
  const whole = [startsWith(last, next), `${startsWith(first, next)}${once}`];
  if (search === 'name') return whole;
  const [head, tail] = [next + 1, next + 2];
  return [...whole, `${startsWith(last, tail)} AND ${startsWith(first, head)}`, `${startsWith(last, head)} AND ${startsWith(first, tail)}`];
}

/** A number of E.164 has 15 digits at most; digits are in the same order in every collation. */
const numberCondition = (column: string, next: number) =>
  `(${[next, next + 1].map((n) => `${column} >= $${n}::text AND ${column} <= $${n}::text || '999999999999999'`).join(' OR ')})`;
