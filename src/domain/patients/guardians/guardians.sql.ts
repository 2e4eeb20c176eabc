import { statement } from '../../../database/statements/statement.ts';

/** The guardian of a patient, as callers see it: the id of a patient whose chart they may not see is left out. */
export interface Guardian {
  guardianPatientId: number | null;
  guardianContactId: number | null;
  guardianRelationship: string | null;
}

/** SQL that joins the guardianship `s` of the chart `p`, and the chart of the guardian. Value $1: the organization. */
export const GUARDIANSHIP = `LEFT JOIN guardianship s ON s.organization_id = $1 AND s.patient_id = p.id
     LEFT JOIN patient sg ON sg.organization_id = $1 AND sg.id = s.guardian_patient_id`;

/** SQL of the fields of a Guardian. @param visible SQL of whether the caller may see the chart of the guardian `sg` */
export const guardianFields = (visible: string) =>
  `CASE WHEN ${visible} THEN sg.id END AS "guardianPatientId", s.guardian_contact_id AS "guardianContactId",
          s.relationship AS "guardianRelationship"`;

/** Values: organization, patient, whether the caller may see restricted charts. */
export const FIND_GUARDIAN = statement<Guardian & { linked: boolean }>(
  'find_guardian',
  `SELECT ${guardianFields('NOT sg.restricted OR $3::boolean')}, s.patient_id IS NOT NULL AS linked
     FROM patient p ${GUARDIANSHIP} WHERE p.organization_id = $1 AND p.id = $2`,
);

/** Values: organization, patient, the guardian as a patient or as a contact, relationship. */
export const SET_GUARDIAN = statement<never>(
  'set_guardian',
  `INSERT INTO guardianship (organization_id, patient_id, guardian_patient_id, guardian_contact_id, relationship)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (organization_id, patient_id) DO UPDATE
      SET guardian_patient_id = excluded.guardian_patient_id, guardian_contact_id = excluded.guardian_contact_id, relationship = excluded.relationship`,
);

/** Values: organization, patient. */
export const REMOVE_GUARDIAN = statement<{ id: number }>(
  'remove_guardian',
  'DELETE FROM guardianship WHERE organization_id = $1 AND patient_id = $2 RETURNING patient_id AS id',
);

/** Readers that ask for what changed since find a chart whose guardian changed. Values: organization, patient. */
export const TOUCH_PATIENT = statement<never>(
  'touch_patient',
  'UPDATE patient SET updated_at = now() WHERE organization_id = $1 AND id = $2',
);

/** Facts from which the end of a guardianship follows. Values: organization, patient or NULL for all. */
export const COMING_OF_AGE = statement<{ id: number; birthDate: string | null; timeZone: string; minorUntil: number }>(
  'coming_of_age',
  `SELECT p.id, to_char(p.birth_date, 'YYYY-MM-DD') AS "birthDate", o.time_zone AS "timeZone", o.minor_until AS "minorUntil"
     FROM guardianship s
     JOIN patient p ON p.organization_id = $1 AND p.id = s.patient_id
     JOIN organization o ON o.id = $1
    WHERE s.organization_id = $1 AND ($2::int IS NULL OR s.patient_id = $2)`,
);

/** Values: organization, and by columns patients and the ends of their guardianships. */
export const SET_ENDS = statement<never>(
  'set_ends_of_guardianships',
  `UPDATE guardianship s SET ends_at = n.ends_at FROM unnest($2::int[], $3::timestamptz[]) AS n (patient_id, ends_at)
    WHERE s.organization_id = $1 AND s.patient_id = n.patient_id`,
);

/** The names in the chart of a patient with a guardian, and those of the guardian, unless they are of a restricted chart. Values: organization, patient. */
export const NAMES_OF_GUARDIAN = statement<Record<'firstName' | 'lastName' | 'ownFirstName' | 'ownLastName', string | null>>(
  'names_of_guardian',
  `SELECT p.guardian_first_name AS "firstName", p.guardian_last_name AS "lastName",
          coalesce(g.first_name, k.first_name) AS "ownFirstName", coalesce(g.last_name, k.last_name) AS "ownLastName"
     FROM guardianship s
     JOIN patient p ON p.organization_id = $1 AND p.id = s.patient_id
     LEFT JOIN patient g ON g.organization_id = $1 AND g.id = s.guardian_patient_id
     LEFT JOIN contact k ON k.organization_id = $1 AND k.id = s.guardian_contact_id
    WHERE s.organization_id = $1 AND s.patient_id = $2 AND g.restricted IS NOT TRUE`,
);
