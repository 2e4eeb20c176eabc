import { statement } from '../../../database/statements/statement.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { numberStoppedTexts } from '../number-stopped-texts.sql.ts';
import { PATIENT_ZONE } from '../patient-clock.sql.ts';

/**
 * SQL that joins as `w` the guardian of the chart `p` to whom messages about the patient go: none for a patient of age, and none who died or
 * whose chart was deleted. An objection of either chart holds.
 * @param organization parameter of the practice
 */
export const joinGuardian = (organization: string) => `
     LEFT JOIN LATERAL (
       SELECT coalesce(g.id, k.id) AS id, g.id AS patient_id, coalesce(g.mobile_phone, k.phone) AS mobile_phone, g.home_phone,
              coalesce(g.email, k.email) AS email, coalesce(g.language_code, p.language_code) AS language_code, g.contact_preference,
              p.do_not_call OR coalesce(g.do_not_call, false) AS do_not_call, p.do_not_sms OR coalesce(g.do_not_sms, false) AS do_not_sms,
              coalesce(g.texts_stopped, ${numberStoppedTexts(organization, 'k.phone')}) AS texts_stopped, g.time_zone
         FROM guardianship s
         LEFT JOIN patient g ON g.organization_id = ${organization} AND g.id = s.guardian_patient_id AND g.status <> 'deleted' AND g.deceased_date IS NULL
         LEFT JOIN contact k ON k.organization_id = ${organization} AND k.id = s.guardian_contact_id
        WHERE s.organization_id = ${organization} AND s.patient_id = p.id AND (s.ends_at IS NULL OR s.ends_at > now())
          AND coalesce(g.id, k.id) IS NOT NULL) w ON true`;

/** The same in a statement that is written where it runs. */
export function guardianIn(organizationId: number): Prisma.Sql {
  const [first = '', ...rest] = joinGuardian('$1').split('$1');
  return new Prisma.Sql(
    [first, ...rest],
    rest.map(() => organizationId),
  );
}

type ReachedColumn =
  | 'mobile_phone'
  | 'home_phone'
  | 'email'
  | 'language_code'
  | 'contact_preference'
  | 'do_not_call'
  | 'do_not_sms'
  | 'texts_stopped';

/** SQL of a field of the person to whom messages about the chart `p` go, who is its guardian `w` or the patient. */
export const selectReached = (column: ReachedColumn) => `CASE WHEN w.id IS NULL THEN p.${column} ELSE w.${column} END`;

/** SQL of the zone of that person's clock. */
export const REACHED_ZONE = `coalesce(w.time_zone, ${PATIENT_ZONE})`;

/** SQL of the name by which a guardian `w` hears of the patient `p`; null without a guardian. */
export const NAME_TO_GUARDIAN = `CASE WHEN w.id IS NOT NULL THEN coalesce(p.preferred_name, p.first_name, p.last_name, '') END`;

/** SQL of whether a number, as E.164, is the mobile or the home number of the chart `p` or of its guardian `w`. */
export const patientHasNumber = (number: string) =>
  `coalesce(${number} IN (p.mobile_phone, p.home_phone), false) OR coalesce(${number} IN (w.mobile_phone, w.home_phone), false)`;

/** The person who is reached for a patient, on which channels, and by which number and address. */
export interface Reach {
  /** Of the patient. */
  id: number;
  firstName: string | null;
  lastName: string | null;
  /** The patient's name to their guardian, to whom messages go; null where they go to the patient. */
  nameToGuardian: string | null;
  mobilePhone: string | null;
  /** Numbers from which the patient is answered for. */
  numbers: string[];
  email: string | null;
  /** They want mails. */
  prefersMail: boolean;
  languageCode: string | null;
  zone: string;
  gone: boolean;
  deceased: boolean;
  doNotCall: boolean;
  doNotSms: boolean;
  textsStopped: boolean;
}

/** Values: organization, patients. Ordered by id. */
export const REACH = statement<Reach>(
  'reach',
  `SELECT p.id, p.first_name AS "firstName", p.last_name AS "lastName", ${NAME_TO_GUARDIAN} AS "nameToGuardian",
          ${selectReached('mobile_phone')} AS "mobilePhone",
          array_remove(ARRAY[p.mobile_phone, p.home_phone, w.mobile_phone, w.home_phone], NULL) AS numbers, ${selectReached('email')} AS email,
          coalesce(${selectReached('contact_preference')} ILIKE 'e%mail', false) AS "prefersMail",
          ${selectReached('language_code')} AS "languageCode", ${REACHED_ZONE} AS zone,
          p.status = 'deleted' AS gone, p.deceased_date IS NOT NULL AS deceased, ${selectReached('do_not_call')} AS "doNotCall",
          ${selectReached('do_not_sms')} AS "doNotSms", ${selectReached('texts_stopped')} AS "textsStopped"
     FROM patient p
     JOIN organization o ON o.id = $1
     LEFT JOIN office f ON f.organization_id = $1 AND f.id = p.primary_office_id ${joinGuardian('$1')}
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[])
    ORDER BY p.id`,
);

/** The patients under age of whom a guardian with a number is told. Values: organization, number. */
export const GUARDED_BY_NUMBER = statement<{ id: number }>(
  'guarded_by_number',
  `SELECT p.id FROM guardianship h JOIN patient p ON p.organization_id = $1 AND p.id = h.patient_id ${joinGuardian('$1')}
    WHERE h.organization_id = $1 AND w.mobile_phone = $2
    ORDER BY p.id`,
);
