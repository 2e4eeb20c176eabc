export interface NamedPatient {
  id: number;
  firstName: string | null;
  lastName: string | null;
}

/** Patients that are named at one number: a home of many has one number. */
const MOST_NAMED = 20;

/**
 * SQL of the other listed patients who have one of the numbers as their mobile or home number, as JSON by id. Value $1: the organization.
 * @param numbers SQL of telephone numbers, as E.164, which may be null
 * @param patient SQL of the patient's own id, or NULL for a number without a patient
 */
export const sharedWith = (numbers: readonly string[], patient: string) => {
  const any = `ANY (ARRAY[${numbers.join(', ')}]::text[])`;
  return `(SELECT coalesce(json_agg(json_build_object('id', o.id, 'firstName', o.first_name, 'lastName', o.last_name) ORDER BY o.id), '[]')
             FROM (SELECT s.id, s.first_name, s.last_name
                     FROM patient s JOIN patient_name_key l ON l.organization_id = $1 AND l.patient_id = s.id AND l.ordinal = 1
                    WHERE s.organization_id = $1 AND (s.mobile_phone = ${any} OR s.home_phone = ${any}) AND s.id IS DISTINCT FROM ${patient}::int
                    ORDER BY s.id LIMIT ${MOST_NAMED}) o)`;
};
