import { statement } from '../../../database/statements/statement.ts';
import { comparedName } from '../search/name-keys.sql.ts';

const compared = (name: string) => comparedName(`coalesce(${name}::text, '')`);

/**
 * The names that are sought, folded once also in a generic plan; no row, so that nothing else is read, where the practice does not look for
 * the same person. Parameters: organization, first and last name.
 */
const SOUGHT = `sought AS MATERIALIZED (
     SELECT ${compared('$2')} AS first, ${compared('$3')} AS last FROM organization g WHERE g.id = $1 AND g.match_on_registration
   )`;

/** The whole name of a chart, in its first name key. Deleted, restricted and blocked charts have no keys, so they are never found. */
const SAME_NAME = 'k.last_key = s.last AND k.first_key = s.first';

const samePhone = (phones: string) => `p.home_phone = ANY (${phones}::text[]) OR p.mobile_phone = ANY (${phones}::text[])`;
const sameEmail = (email: string) => `lower(p.email) = lower(${email}::text)`;
const sameZip = (zip: string) => `left(p.zip, 5) = ${zip}::text`;
const [SAME_PHONE, SAME_EMAIL, SAME_ZIP] = [samePhone('$7'), sameEmail('$6'), sameZip('$5')];

const OF_NAME = `patient_name_key k ON k.organization_id = $1 AND k.shared_length < 0 AND ${SAME_NAME}
     JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id`;

const nameLock = (first: string, last: string) =>
  `hashtextextended(concat_ws(E'\\n', 'registration', ${compared(first)}, ${compared(last)}), $1::int)`;

/** Makes concurrent registrations of one name wait for each other. Values: organization, first and last name. */
export const LOCK_NAME = statement<never>('lock_name', `SELECT pg_advisory_xact_lock(${nameLock('$2', '$3')})::text`);

/** The same for many names, all in one order, against deadlocks. Values: organization, first names, last names. */
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
  `WITH ${SOUGHT}
   SELECT p.id
     FROM sought s
     JOIN ${OF_NAME}
    WHERE s.first || s.last <> '' AND p.birth_date = $4::date AND (${SAME_ZIP} OR ${SAME_EMAIL} OR ${SAME_PHONE})
    ORDER BY p.id LIMIT 1`,
);

/**
 * The charts of the same persons, by the places of those in a list. Values: organization; persons as JSON, each with its place, names, birth
 * date, the first five digits of the zip, email and telephone numbers.
 */
export const SAME_PERSONS = statement<{ place: number; id: number }>(
  'same_persons',
  `WITH sought AS MATERIALIZED (
     SELECT s.place, ${compared('s.first_name')} AS first, ${compared('s.last_name')} AS last, s.birth_date, s.zip, s.email, s.phones
       FROM organization g
      CROSS JOIN jsonb_to_recordset($2::jsonb) AS s (place int, first_name text, last_name text, birth_date date, zip text, email text, phones text[])
      WHERE g.id = $1 AND g.match_on_registration
   )
   SELECT s.place, f.id
     FROM sought s
    CROSS JOIN LATERAL (
            SELECT p.id
              FROM patient_name_key k
              JOIN patient p ON p.organization_id = k.organization_id AND p.id = k.patient_id
             WHERE k.organization_id = $1 AND k.shared_length < 0 AND ${SAME_NAME}
               AND s.first || s.last <> '' AND p.birth_date = s.birth_date
               AND (${sameZip('s.zip')} OR ${sameEmail('s.email')} OR ${samePhone('s.phones')})
             ORDER BY p.id LIMIT 1) AS f`,
);

/** Reasons why a chart may be of the same person, the strongest first. */
export const MATCH_REASONS = [
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

const because = (reason: MatchReason) => `'${reason}'`;

/**
 * Charts that may be of the same person, each with its strongest reason: the strongest first, then by id. Charts of one birth
 * date are read along one index, and those of one name along another. Values: as SAME_PERSON, then the reasons in order and
 * the largest number of charts.
 */
export const POSSIBLE_MATCHES = statement<{ id: number; reason: MatchReason }>(
  'possible_matches',
  `WITH ${SOUGHT}, near AS (
     SELECT p.id, CASE WHEN s.first || s.last <> '' AND ${SAME_NAME} THEN ${because('same name and birth date')}
                       WHEN ${SAME_PHONE} THEN ${because('same birth date and telephone number')}
                       WHEN ${SAME_EMAIL} THEN ${because('same birth date and email')}
                       WHEN s.last <> '' AND k.last_key = s.last THEN ${because('same birth date and last name')}
                       WHEN s.first <> '' AND k.first_key = s.first THEN ${because('same birth date and first name')} END AS reason
       FROM sought s
       JOIN patient p ON p.organization_id = $1 AND p.birth_date = $4::date
       JOIN patient_name_key k ON k.organization_id = $1 AND k.patient_id = p.id AND k.ordinal = 1
      UNION ALL
     SELECT p.id, CASE WHEN ${SAME_PHONE} THEN ${because('same name and telephone number')}
                       WHEN ${SAME_EMAIL} THEN ${because('same name and email')}
                       WHEN ${SAME_ZIP} THEN ${because('same name and zip')} END
       FROM sought s
       JOIN ${OF_NAME}
      WHERE s.first || s.last <> ''
   )
   SELECT n.id, ($8::text[])[min(r.rank)] AS reason
     FROM near n
     JOIN unnest($8::text[]) WITH ORDINALITY AS r (reason, rank) ON r.reason = n.reason
    GROUP BY n.id ORDER BY min(r.rank), n.id LIMIT $9`,
);
