import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import type { PatientInput } from '../../../domain/patients/registration/registration.ts';
import { RegistrationForm, toRegistration } from './patient-registration.wire.ts';

/** The fields of a registration; a field that is absent or empty stays as it is. */
export const PatientUpdateForm = RegistrationForm.meta({ id: 'PatientUpdate' });

export const PatientUpdateAnswer = z
  .array(z.strictObject({ patientid: z.string().describe('Patient id') }).meta({ id: 'PatientUpdated' }))
  .describe('One entry');

export const fromUpdated = ({ id }: { id: number }): z.input<typeof PatientUpdateAnswer> => [{ patientid: String(id) }];

/**
 * The fields to change: those with a value. Who declines to give an email address or a mobile number has none any more.
 * @throws Failure invalid for a form with nothing to change
 */
export function toPatientUpdate(form: RegistrationForm): PatientInput {
  const sent = Object.entries(toRegistration(form)).filter(([, value]) => value !== null && value !== undefined);
  if (sent.length === 0) throw new Failure('invalid', 'empty_form', 'The form has nothing in it to change.');
  const input: PatientInput = Object.fromEntries(sent);
  return {
    ...input,
    ...(input.emailDeclined ? { email: null } : {}),
    ...(input.mobilePhoneDeclined ? { mobilePhone: null } : {}),
  };
}
