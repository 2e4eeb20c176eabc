import { type ListOrder, listOrder } from '../../../database/statements/list-order.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { startsWith } from '../../patients/search/name-keys.sql.ts';
import { type NamedPatient, sharedWith } from '../../patients/shared-numbers.sql.ts';

/** A contact: a listed patient, or a number that is not a patient's. */
export interface ContactRow {
  id: number;
  /** The same as the id; null for a number that is not a patient's. */
  patient_id: number | null;
  first_name: string | null;
  last_name: string | null;
  /** The patient's mobile number, or the number of a contact that is not a patient. */
  phone: string | null;
  home_phone: string | null;
  work_phone: string | null;
  email: string | null;
  /** Other patients who have one of the patient's numbers; none of a number that is no patient's. */
  sharedWith: NamedPatient[];
  tags: { id: number; name: string; color: string; linkId: number }[];
  created_at: string;
  updated_at: string;
}

/** Parameters: organization, ids. Unordered. */
export const CONTACTS_BY_ID: Statement<ContactRow> = statement(
  'contacts',
  `SELECT s.*, (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'color', t.color, 'linkId', l.id)
                                         ORDER BY fold(t.name), t.id), '[]')
                  FROM contact_contact_tag l JOIN contact_tag t ON t.organization_id = l.organization_id AND t.id = l.contact_tag_id
                 WHERE l.organization_id = $1 AND l.contact_id = s.id) AS tags
     FROM (SELECT p.id, p.id AS patient_id, p.first_name, p.last_name, p.mobile_phone AS phone, p.home_phone, p.work_phone, p.email,
                  ${sharedWith(['p.mobile_phone', 'p.home_phone'], 'p.id')} AS "sharedWith",
                  ${selectInstant('p.created_at')} AS created_at, ${selectInstant('p.updated_at')} AS updated_at
             FROM patient p JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1
            WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])
           UNION ALL
           SELECT c.id, NULL, c.first_name, c.last_name, c.phone, NULL, NULL, c.email, '[]'::json, ${selectInstant('c.created_at')}, ${selectInstant('c.updated_at')}
             FROM contact c WHERE c.organization_id = $1 AND c.patient_id IS NULL AND c.id = ANY ($2::int[])) AS s`,
);

/**
 * The patient that a number belongs to. Restricted and blocked patients rank before listed ones, so that what may be theirs is not
 * shown; then mobile numbers before home numbers, enterprise charts before their copies, active patients before others, and lower
 * ids; so every lookup finds the same patient. Parameters: organization, number.
 */
export const PATIENT_BY_NUMBER = statement<{ id: number; restricted: boolean }>(
  'patient_of_number',
  `SELECT p.id, p.restricted FROM patient p
    WHERE p.organization_id = $1 AND (p.mobile_phone = $2 OR p.home_phone = $2) AND p.status <> 'deleted'
    ORDER BY p.restricted DESC, coalesce(p.mobile_phone = $2, false) DESC, (p.enterprise_id IS NULL) DESC, (p.status = 'active') DESC, p.id
    LIMIT 1`,
);

/** The contact of a number that is no patient's. Parameters: organization, number. */
export const CONTACT_BY_NUMBER = statement<{ id: number }>(
  'contact_of_number',
  'SELECT id FROM contact WHERE organization_id = $1 AND phone = $2 AND patient_id IS NULL',
);

/** Sort orders of contacts; ties are ordered by id. */
export type ContactOrder = 'lastName' | 'firstName' | 'id';

export type NameSearch = 'name' | 'names' | 'number' | null;

/**
 * Filters of a contact list. `name`: one prefix of the last name, of a word of it, or of the first name. `names`: that
 * prefix, and its two parts, one a prefix of the first name and the other of the last. `number`: two prefixes of a
 * number in E.164, of which one must match.
 */
export interface ContactFilter {
  search: NameSearch;
  tag: boolean;
  /** Those that changed at an instant or later. */
  updated: boolean;
}

export interface ContactListing {
  filter: ContactFilter;
  order: ContactOrder;
  descending: boolean;
}

export const contactOrder = ({ filter, order, descending }: ContactListing): ListOrder =>
  listOrder(
    `contact_page_${filterName(filter)}_${order}_${descending ? 'desc' : 'asc'}`,
    ORDERS[order].terms.map((sql) => ({ sql })),
    descending,
  );

/**
 * The ids of a page, in order. Parameters: organization, limit, offset, then those of the filter: search texts, tag id, instant; then the
 * position before it.
 */
export function contactPage(listing: ContactListing, isAfter = false): Statement<{ id: number; position: string }> {
  const { filter, order } = listing;
  const { patient, unknown } = ORDERS[order];
  const { name, by, position, after } = contactOrder(listing);
  const all = isWhole(filter) && order === 'lastName';
  const next = findInstantParameter(filter, 4) + Number(filter.updated);
  // Each half is limited to the end of the page, so that both are read in index order and no further.
  const selectHalf = (shown: string, from: string) => {
    const rows = `SELECT ${shown} FROM ${from}`;
    const later = isAfter ? `SELECT * FROM (${rows}) AS h WHERE ${after((term) => `$${next + term}`)}` : rows;
    return `(${later} ORDER BY ${by} LIMIT $2::int + $3::int)`;
  };
  return statement(
    `${name}${isAfter ? '_after' : ''}`,
    `SELECT s.id, ${position} AS position
       FROM (${selectHalf(patient, patientsSql(filter, 4, all))} UNION ALL ${selectHalf(unknown, unknownNumbersSql(filter, 4))}) AS s
      ORDER BY ${by} LIMIT $2::int OFFSET $3::int`,
  );
}

/** Number of contacts that match. Parameters: organization, then those of the filter. */
export function contactCount(filter: ContactFilter): Statement<{ total: number }> {
  return statement(
    `contact_count_${filterName(filter)}`,
    `SELECT ((SELECT count(*) FROM ${patientsSql(filter, 2, false)}) + (SELECT count(*) FROM ${unknownNumbersSql(filter, 2)}))::int AS total`,
  );
}

const filterName = ({ search, tag, updated }: ContactFilter) => `${search ?? 'all'}${tag ? '_tag' : ''}${updated ? '_updated' : ''}`;
const isWhole = ({ search, tag, updated }: ContactFilter): boolean => search === null && !tag && !updated;

/** Each half has an index in the sort order: a page is a merge of the two. */
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

/** @param byLast whether the first key of each patient is read from the index ordered by last name */
function patientsSql(filter: ContactFilter, next: number, byLast: boolean): string {
  const { search, tag, updated } = filter;
  const found = search === null ? [] : [patientSearchSql(search, parametersFrom(next))];
  const tagged = tag ? [taggedContactsSql(next + searchValueCount(search))] : [];
  const since = `p.organization_id = $1 AND p.updated_at >= $${findInstantParameter(filter, next)}::timestamptz`;
  const changed = updated ? [`SELECT p.id FROM patient p WHERE ${since}`] : [];
  const ids = [...found, ...tagged, ...changed].map((one) => `(${one})`).join(' INTERSECT ');
  if (ids === '') return `patient_name_key k WHERE k.organization_id = $1 AND ${byLast ? 'k.shared_length < 0' : 'k.ordinal = 1'}`;
  // `OFFSET 0` keeps the planner on the patients' own keys, whatever it estimates for the number of matches.
  return `(${ids}) AS f (id) CROSS JOIN LATERAL (
            SELECT m.patient_id, m.last_key, m.first_key FROM patient_name_key m
             WHERE m.organization_id = $1 AND m.patient_id = f.id AND m.ordinal = 1 OFFSET 0) AS k`;
}

function unknownNumbersSql(filter: ContactFilter, next: number): string {
  const { search, tag, updated } = filter;
  const conditions = ['u.organization_id = $1', 'u.patient_id IS NULL'];
  if (search === 'number') conditions.push(numberCondition('u.phone', parametersFrom(next)));
  else if (search !== null) conditions.push(`(${nameConditions('u', search, parametersFrom(next)).join(' OR ')})`);
  if (tag) conditions.push(`u.id IN (${taggedContactsSql(next + searchValueCount(search))})`);
  if (updated) conditions.push(`u.updated_at >= $${findInstantParameter(filter, next)}::timestamptz`);
  return isWhole(filter)
    ? `contact c WHERE c.organization_id = $1 AND c.patient_id IS NULL`
    : `(SELECT * FROM contact u WHERE ${conditions.join(' AND ')} OFFSET 0) AS c`;
}

/** As many as a search has at most. */
const parametersFrom = (next: number) => [next, next + 1, next + 2].map((number) => `$${number}`);

const searchValueCount = (search: ContactFilter['search']) =>
  ({ name: 1, names: 3, number: 2 })[search ?? 'number'] * Number(search !== null);

/** The number of the parameter with the instant, behind the others of the filter. */
const findInstantParameter = ({ search, tag }: ContactFilter, next: number): number => next + searchValueCount(search) + Number(tag);

const taggedContactsSql = (parameter: number) =>
  `SELECT l.contact_id FROM contact_contact_tag l WHERE l.organization_id = $1 AND l.contact_tag_id = $${parameter}::int`;

/** Selects the ids of the patients that match. Each alternative is a range scan of its own index. */
export function patientSearchSql(search: NonNullable<NameSearch>, texts: readonly string[]): string {
  if (search === 'number')
    return ['mobile_phone', 'home_phone']
      .map((column) => `SELECT p.id FROM patient p WHERE p.organization_id = $1 AND ${numberCondition(`p.${column}`, texts)}`)
      .join(' UNION ');
  return nameConditions('n', search, texts)
    .map((condition) => `SELECT n.patient_id FROM patient_name_key n WHERE n.organization_id = $1 AND ${condition}`)
    .join(' UNION ');
}

/** The alternatives by which a name matches. First names are compared in the key with ordinal 1 only. */
function nameConditions(keys: 'n' | 'u', search: 'name' | 'names', [text = '', head = '', tail = '']: readonly string[]): string[] {
  const [last, first] = [`${keys}.last_key`, `${keys}.first_key`];
  const once = keys === 'n' ? ' AND n.ordinal = 1' : '';
  const whole = [startsWith(last, text), `${startsWith(first, text)}${once}`];
  if (search === 'name') return whole;
  return [...whole, `${startsWith(last, tail)} AND ${startsWith(first, head)}`, `${startsWith(last, head)} AND ${startsWith(first, tail)}`];
}

/** A number in E.164 has at most 15 digits; digits sort the same in every collation. */
const numberCondition = (column: string, starts: readonly string[]) =>
  `(${starts
    .slice(0, 2)
    .map((start) => `${column} >= ${start}::text AND ${column} <= ${start}::text || '999999999999999'`)
    .join(' OR ')})`;
