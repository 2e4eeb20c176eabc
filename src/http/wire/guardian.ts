import { z } from 'zod';
import type { PatientFields, PatientInput } from '../../domain/patients/chart/chart-fields.sql.ts';
import type { Guardian, GuardianInput } from '../../domain/patients/guardians/guardians.ts';
import { namesWithin } from '../../records/field.ts';
import { PATIENT } from '../../records/patient.ts';
import { shapesOf } from '../../records/shapes.ts';
import { CHART_KINDS, SHOWN_KINDS } from './chart-types.ts';
import { id, optional, renameFields } from './wire-types.ts';

/** Names of the fields of the chart in the object `guardian`, in the integration and the mobile API. */
export const GUARDIAN_NAMES = namesWithin(PATIENT, 'mobile', 'guardian');

/** Name on the wire of each field of the person to whom messages go. */
export const GUARDIAN_LINK_NAMES = {
  guardianPatientId: 'patient_uuid',
  guardianContactId: 'contact_uuid',
  guardianRelationship: 'relationship',
} as const;

type GuardianFields = Pick<PatientFields, keyof typeof GUARDIAN_NAMES> & Guardian;

/** The guardian of a patient; null where there is none. */
export const GuardianShape = z
  .strictObject({
    ...shapesOf(PATIENT, GUARDIAN_NAMES, SHOWN_KINDS),
    patient_uuid: z
      .int()
      .nullable()
      .describe('Guardian who is a patient and receives messages about the patient; null if there is none or you may not see them'),
    contact_uuid: z.int().nullable().describe('Guardian who is a contact and receives messages about the patient; null if there is none'),
    relationship: z.string().nullable().describe('Relationship of the guardian to the patient'),
  })
  .nullable()
  .describe('Guardian of the patient; null if there is none');

/** The guardian in a request: null takes the guardian away, and an absent field stays as it is. */
export const guardian = () =>
  optional(
    z.object({
      ...shapesOf(PATIENT, GUARDIAN_NAMES, CHART_KINDS),
      patient_uuid: optional(id()).describe('Guardian who is a patient and receives messages while the patient is a minor; null for none'),
      contact_uuid: optional(id()).describe('Guardian who is a contact but not a patient'),
      relationship: CHART_KINDS.line().describe('Relationship of the guardian to the patient, such as mother'),
    }),
  ).describe(
    'Guardian of the patient; null removes the guardian. With only a name, no messages are sent to the guardian; with patient_uuid or contact_uuid, the name is taken from that person',
  );

export function fromGuardian(chart: GuardianFields): z.input<typeof GuardianShape> {
  const { guardianFirstName: firstname, guardianMiddleName: middlename, guardianLastName: lastname, guardianSuffix: suffix } = chart;
  const { guardianPatientId: patient_uuid, guardianContactId: contact_uuid, guardianRelationship: relationship } = chart;
  const shown = { firstname, middlename, lastname, suffix, patient_uuid, contact_uuid, relationship };
  return Object.values(shown).every((value) => value === null) ? null : shown;
}

type SentGuardian = z.output<ReturnType<typeof guardian>>;

export function toGuardian(sent: SentGuardian): PatientInput {
  if (sent === null) return { guardianFirstName: null, guardianMiddleName: null, guardianLastName: null, guardianSuffix: null };
  return sent ? renameFields(sent, GUARDIAN_NAMES) : {};
}

/** The person to whom messages go; undefined where a request says nothing of them. */
export function toGuardianLink(sent: SentGuardian): GuardianInput | undefined {
  if (sent === null) return { guardianPatientId: null, guardianContactId: null, guardianRelationship: null };
  return sent && renameFields(sent, GUARDIAN_LINK_NAMES);
}
