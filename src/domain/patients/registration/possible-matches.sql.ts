import { statement } from '../../../database/statements/statement.ts';
import { foldNameSql } from '../search/name-keys.sql.ts';

const foldCompared = (name: string) => foldNameSql(`coalesce(${name}::text, '')`);

/**
 * The names that are sought, folded once also in a generic plan; no row, so that nothing else is read, where the practice does not look for
 * the same person. Parameters: organization, first and last name.
 * @param anyway SQL of whether it is looked for in every practice
 */
const selectSought = (anyway: string) => `sought AS MATERIALIZED (
     SELECT ${foldCompared('$2')} AS first, ${foldCompared('$3')} AS last FROM organization g WHERE g.id = $1 AND (g.match_on_registration OR ${anyway})
   )`;

/** The whole name of a chart, in its first name key. Deleted, restricted and blocked charts have no keys, so they are never found. */
const SAME_NAME = 'k.last_key = s.last AND k.first_key = s.first';

const samePhone = (phones: string) => `p.home_phone = ANY (${phones}::text[]) OR p.mobile_phone = ANY (${phones}::text[])`;
const sameEmail = (email: string) => `lower(p.email) = lower(${email}::text)`;
const sameZip = (zip: string) => `left(p.zip, 5) = ${zip}::text`;
const [SAME_PHONE, SAME_EMAIL, SAME_ZIP] = [samePhone('$7'), sameEmail('$6'), sameZip('$5')];

const OF_NAME = `patient_name_key k ON k.organization_id = $1 AND k.shared_length < 0 AND ${SAME_NAME}
     JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id`;

/** @param first SQL of the names as they are compared */
const nameLock = (first: string, last: string) => `hashtextextended(concat_ws(E'\\n', 'registration', ${first}, ${last}), $1::int)`;

/** Makes concurrent registrations of one name wait for each other. Values: organization, first and last name. */
export const LOCK_NAME = statement<never>(
  'lock_name',
  `SELECT pg_advisory_xact_lock(${nameLock(foldCompared('$2'), foldCompared('$3'))})::text`,
);

/** The same for many names, all in one order, against deadlocks. Values: organization, first names and last names as they are compared. */
export const LOCK_NAMES = statement<never>(
  'lock_names',
  `SELECT pg_advisory_xact_lock(n.lock)::text
     FROM (SELECT DISTINCT ${nameLock('m.first', 'm.last')} AS lock FROM unnest($2::text[], $3::text[]) AS m (first, last) ORDER BY 1) AS n`,
);

/**
 * The chart of the same person. Values: organization, first and last name, birth date, the first five digits of the zip, email,
 * telephone numbers; each but the first may be null.
 */
export const SAME_PERSON = statement<{ id: number }>(
  'same_person',
  `WITH ${selectSought('false')}
   SELECT p.id
     FROM sought s
     JOIN ${OF_NAME}
    WHERE s.first || s.last <> '' AND p.birth_date = $4::date AND (${SAME_ZIP} OR ${SAME_EMAIL} OR ${SAME_PHONE})
    ORDER BY p.id LIMIT 1`,
);

/** Each pair is compared once, however many have the name. */
const SAME_CHART = 'c.first = s.first AND c.last = s.last AND c.birth_date = s.birth_date';

/**
 * The charts of the same persons, by the places of those in a list. Values: organization; persons as JSON, each with its place, names as they are compared,
 * birth date, the first five digits of the zip, email and telephone numbers.
 */
export const SAME_PERSONS = statement<{ place: number; id: number }>(
  'same_persons',
  `WITH sought AS MATERIALIZED (
     SELECT s.*
       FROM organization g
      CROSS JOIN jsonb_to_recordset($2::jsonb) AS s (place int, first text, last text, birth_date date, zip text, email text, phones text[])
      WHERE g.id = $1 AND g.match_on_registration
   ), charts AS MATERIALIZED (
     SELECT s.first, s.last, p.id, p.birth_date, left(p.zip, 5) AS zip, lower(p.email) AS email, ARRAY[p.home_phone, p.mobile_phone] AS phones
       FROM (SELECT DISTINCT o.first, o.last FROM sought o WHERE o.first || o.last <> '') AS s
       JOIN ${OF_NAME}
   )
   SELECT f.place, min(f.id) AS id
     FROM (SELECT s.place, c.id FROM sought s JOIN charts c ON ${SAME_CHART} AND c.zip = s.zip
            UNION ALL
           SELECT s.place, c.id FROM sought s JOIN charts c ON ${SAME_CHART} AND c.email = lower(s.email)
            UNION ALL
           SELECT s.place, c.id FROM (SELECT o.*, unnest(o.phones) AS phone FROM sought o) AS s
             JOIN (SELECT o.*, unnest(o.phones) AS phone FROM charts o) AS c ON ${SAME_CHART} AND c.phone = s.phone) AS f
    GROUP BY f.place`,
);

/** Reasons why a chart may be of the same person, the strongest first. */
const MATCH_REASONS = [
  'same name and birth date',
  'same name and telephone number',
  'same name and email',
  'same birth date and telephone number',
  'same birth date and email',
  'same birth date and last name',
  'same birth date and first name',
  'same name and zip',
] as const;
export type MatchReason = (typeof MATCH_REASONS)[number];

/**
 * Points of what two charts have in common. Names and birth date alone make 24. With one way to reach the person they make 26 or more: the
 * same person, as registration matches one. Less than 16 says nothing.
 */
const POINTS: Readonly<Record<Sign, number>> = { firstName: 8, lastName: 8, birthDate: 8, phone: 8, email: 8, zip: 2, ssn: 10 };
/** Of the same person; reached by charts of the same names and birth date alone. */
export const SAME_SCORE = 26;
export const LEAST_SCORE = 16;

/** Fields that two charts, or a chart and a person, may have in common. */
const SIGNS = ['firstName', 'lastName', 'birthDate', 'phone', 'email', 'zip', 'ssn'] as const;
export type Sign = (typeof SIGNS)[number];

export type SignConditions = Readonly<Record<Sign, string>>;

const REASON_SIGNS: Readonly<Record<MatchReason, readonly Sign[]>> = {
  'same name and birth date': ['firstName', 'lastName', 'birthDate'],
  'same name and telephone number': ['firstName', 'lastName', 'phone'],
  'same name and email': ['firstName', 'lastName', 'email'],
  'same birth date and telephone number': ['birthDate', 'phone'],
  'same birth date and email': ['birthDate', 'email'],
  'same birth date and last name': ['birthDate', 'lastName'],
  'same birth date and first name': ['birthDate', 'firstName'],
  'same name and zip': ['firstName', 'lastName', 'zip'],
};

const joinSigns = (has: SignConditions, signs: readonly Sign[]): string => signs.map((sign) => has[sign]).join(' AND ');

/** SQL of the strongest reason; null where there is none. */
export const writeReason = (has: SignConditions): string =>
  `CASE ${MATCH_REASONS.map((reason) => `WHEN ${joinSigns(has, REASON_SIGNS[reason])} THEN '${reason}'`).join(' ')} END`;

/** SQL of the score: the one by which registration, the search for the best match and the list of possible duplicates compare. */
export function writeScore(has: SignConditions): string {
  const sum = SIGNS.map((sign) => `CASE WHEN ${has[sign]} THEN ${POINTS[sign]} ELSE 0 END`).join(' + ');
  return `CASE WHEN ${joinSigns(has, ['firstName', 'lastName', 'birthDate'])} THEN ${sum} ELSE least(${sum}, ${SAME_SCORE - 1}) END`;
}

/** The columns of `c`. */
const OF_COMMON: SignConditions = {
  firstName: 'c.first',
  lastName: 'c.last',
  birthDate: 'c.dob',
  phone: 'c.phone',
  email: 'c.email',
  zip: 'c.zip',
  ssn: 'c.ssn',
};
const [SCORE, REASON] = [writeScore(OF_COMMON), writeReason(OF_COMMON)];

/**
 * Charts that may be of the same person, each with its score and its strongest reason: the highest score first, then by id. Charts of one
 * birth date, of one name and of one social security number are each read along an index. Values: as SAME_PERSON, then the hashes of the
 * social security number, whether they are looked for in every practice, the largest number of charts.
 */
export const POSSIBLE_MATCHES = statement<{ id: number; score: number; reason: MatchReason }>(
  'possible_matches',
  `WITH ${selectSought('$9::boolean')}, near AS (
     SELECT p.id FROM sought s JOIN patient p ON p.organization_id = $1 AND p.birth_date = $4::date
      UNION
     SELECT p.id FROM sought s JOIN ${OF_NAME} WHERE s.first || s.last <> '' AND ($4::date IS NULL OR p.birth_date IS DISTINCT FROM $4::date)
        AND (${SAME_PHONE} OR ${SAME_EMAIL} OR ${SAME_ZIP} OR p.ssn_hash = ANY ($8::bytea[]))
   ), common AS (
     SELECT p.id, s.first <> '' AND k.first_key = s.first AS first, s.last <> '' AND k.last_key = s.last AS last,
            coalesce(p.birth_date = $4::date, false) AS dob, coalesce(${SAME_PHONE}, false) AS phone,
            coalesce(${SAME_EMAIL}, false) AS email, coalesce(${SAME_ZIP}, false) AS zip,
            coalesce(p.ssn_hash = ANY ($8::bytea[]), false) AS ssn
       FROM near n
       CROSS JOIN sought s
       JOIN patient p ON p.organization_id = $1 AND p.id = n.id
       JOIN patient_name_key k ON k.organization_id = $1 AND k.patient_id = p.id AND k.ordinal = 1
   )
   SELECT c.id, ${SCORE} AS score, ${REASON} AS reason
     FROM common c WHERE ${REASON} IS NOT NULL
    ORDER BY score DESC, c.id LIMIT $10`,
);
