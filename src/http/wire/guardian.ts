import { z } from 'zod';
import type { PatientFields, PatientInput } from '../../domain/patients/chart/chart-fields.sql.ts';
import { line } from './chart-types.ts';
import { optional, renamed } from './wire-types.ts';

/** Name on the wire of each field of the guardian. */
export const GUARDIAN_NAMES = {
  guardianFirstName: 'firstname',
  guardianMiddleName: 'middlename',
  guardianLastName: 'lastname',
  guardianSuffix: 'suffix',
} as const;

type GuardianFields = Pick<PatientFields, keyof typeof GUARDIAN_NAMES>;

const name = (description: string) => z.string().nullable().describe(description);

/** The guardian of a patient; null where there is none. */
export const GuardianShape = z
  .strictObject({
    firstname: name('First name of the guardian'),
    middlename: name('Middle name of the guardian'),
    lastname: name('Last name of the guardian'),
    suffix: name('Suffix of the name of the guardian'),
  })
  .nullable()
  .describe('Guardian of the patient; null without one');

/** The guardian in a request: null takes the guardian away, and an absent name stays as it is. */
export const guardian = () =>
  optional(
    z.object({
      firstname: line().describe('First name of the guardian'),
      middlename: line().describe('Middle name of the guardian'),
      lastname: line().describe('Last name of the guardian'),
      suffix: line().describe('Suffix of the name of the guardian'),
    }),
  ).describe('Guardian of the patient; null takes the guardian away');

export function fromGuardian(chart: GuardianFields): z.input<typeof GuardianShape> {
  const { guardianFirstName: firstname, guardianMiddleName: middlename, guardianLastName: lastname, guardianSuffix: suffix } = chart;
  const names = { firstname, middlename, lastname, suffix };
  return Object.values(names).every((value) => value === null) ? null : names;
}

export function toGuardian(sent: z.output<ReturnType<typeof guardian>>): PatientInput {
  if (sent === null) return { guardianFirstName: null, guardianMiddleName: null, guardianLastName: null, guardianSuffix: null };
  return sent ? renamed(sent, GUARDIAN_NAMES) : {};
}
