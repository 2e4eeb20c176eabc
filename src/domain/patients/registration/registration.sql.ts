import { statement } from '../../../database/statements/statement.ts';
import type { Patient, RegistrationPolicy } from '../../../generated/prisma/client.ts';
import { perCombination, toColumn, writeParameters } from '../chart/chart-fields.sql.ts';
import { numberStoppedTexts } from '../number-stopped-texts.sql.ts';

/** Which of the rows that an input refers to exist, and the practice's zone. */
export interface PatientReferences {
  timeZone: string;
  /** The practice asks patients for consent to see the history of their medication. */
  hasMedicationHistory: boolean;
  /** The office exists and is open: a closed one takes no registration. */
  officeExists: boolean | null;
  providerExists: boolean | null;
  locationExists: boolean | null;
  employerExists: boolean | null;
  guarantorEmployerExists: boolean | null;
  /** The patient who has the medical record number; deleted charts keep theirs. */
  recordNumberHolder: Pick<Patient, 'id' | 'status' | 'restricted'> | null;
}

/** @param numbers parameters: office, provider, location, medical record number, employers of the patient and of the guarantor */
export const references = (...[office, provider, location, recordNumber, employer, guarantorEmployer]: readonly string[]) => `
          (SELECT true FROM office WHERE organization_id = $1 AND id = ${office}::int AND active) AS "officeExists",
          (SELECT true FROM provider WHERE organization_id = $1 AND id = ${provider}::int) AS "providerExists",
          (SELECT true FROM location WHERE organization_id = $1 AND id = ${location}::int) AS "locationExists",
          (SELECT true FROM employer WHERE organization_id = $1 AND id = ${employer}::int) AS "employerExists",
          (SELECT true FROM employer WHERE organization_id = $1 AND id = ${guarantorEmployer}::int) AS "guarantorEmployerExists",
          (SELECT json_build_object('id', id, 'status', status, 'restricted', restricted) FROM patient
            WHERE organization_id = $1 AND medical_record_no = ${recordNumber}::text) AS "recordNumberHolder"`;

export const PATIENT_ID = statement<{ id: number }>('patient_id', `SELECT nextval('patient_id_seq')::int AS id`);

/** Facts that a registration depends on: its references and the practice's policies. */
export type RegistrationContext = PatientReferences & {
  /** The mobile number sent STOP. */
  textsStopped: boolean;
  registrationPolicy: RegistrationPolicy;
};

/** Values: organization, office, provider, location, medical record number, mobile number, employers of the patient and of the guarantor. */
export const REGISTRATION_CONTEXT = statement<RegistrationContext>(
  'registration_context',
  `SELECT g.time_zone AS "timeZone", g.has_medication_history AS "hasMedicationHistory", g.registration_policy AS "registrationPolicy",
          ${numberStoppedTexts('$1', '$6::text')} AS "textsStopped", ${references('$2', '$3', '$4', '$5', '$7', '$8')}
     FROM organization g
    WHERE g.id = $1`,
);

/**
 * Triggers complete the chart: patient_name_keys_added writes the name keys, by which searches find it; patient_takes_consent notes whether
 * its number has sent STOP, and patient_restricted_added whether it copies a restricted chart.
 */
export const findInsert = perCombination(
  'insert_patient',
  (fields) =>
    `INSERT INTO patient (organization_id, id, updated_at${fields.map((field) => `, ${toColumn(field)}`).join('')})
   VALUES ($1::int, $2::int, now()${writeParameters(fields)
     .map((value) => `, ${value}`)
     .join('')})`,
);

/**
 * Registers a patient at an office, under its financial group; an existing registration is kept. Values: organization, patient, office,
 * the day.
 */
export const REGISTER_AT_OFFICE = statement<never>(
  'register_at_office',
  `INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, local_patient_id, registered_on, updated_at)
   SELECT $1::int, $2::int, o.id, o.provider_group_id, $2::int, $4::date, now()
     FROM office o
    WHERE o.organization_id = $1::int AND o.id = $3::int
       ON CONFLICT DO NOTHING`,
);
