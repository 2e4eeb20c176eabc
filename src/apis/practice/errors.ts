import { z } from 'zod';
import type { Failure } from '../../domain/errors.ts';
import { type ErrorResponse, isNamedAsSent, toStatus } from '../../http/errors/error-mapping.ts';
import { APPOINTMENT_NAMES } from './appointments/appointments.wire.ts';
import { INSURANCE_NAMES } from './patients/insurances/insurances.wire.ts';
import { PATIENT_NAMES } from './patients/record/patient-input.wire.ts';

export const PracticeError = z
  .strictObject({
    error: z.string().describe('Message for end users'),
    detailedmessage: z.string().optional().describe('Message for developers'),
    missingfields: z.array(z.string()).optional().describe('Fields that are required and were not sent'),
    invalidfields: z.array(z.string()).optional().describe('Fields with a wrong value'),
  })
  .meta({ id: 'PracticeError' });

/** Names on the wire of the domain's fields. */
const FIELDS = {
  ...INSURANCE_NAMES,
  sequenceNumber: 'sequencenumber',
  ...PATIENT_NAMES,
  ...APPOINTMENT_NAMES,
  customFields: 'customfields',
  officeId: 'departmentid',
  slotId: 'appointmentid',
  untilMinute: 'hourto',
  typeId: 'appointmenttypeid',
};

const fieldNames = new Map<string, string>(Object.entries(FIELDS));

/** An office is called a department here, and users are known as providers alone. */
const inWords = (message: string) =>
  message
    .replace('no such office', 'no such department')
    .replace(/^User \d+ has appointment/, 'The provider or another participant has appointment');

/** A list is named without the place of the entry that is wrong. */
const nameOfList = (field: string): string => field.replace(/\.\d+$/, '');

export function writePracticeError(failure: Failure): ErrorResponse {
  const issues = failure.issues.map((issue) => ({
    ...issue,
    field: isNamedAsSent(issue.code) ? issue.field : (fieldNames.get(issue.field) ?? nameOfList(issue.field)),
  }));
  const missing = issues.filter((issue) => issue.missing).map(({ field }) => field);
  const wrong = issues.filter((issue) => !issue.missing).map(({ field }) => field);
  const message =
    issues.length > 0 ? issues.map((issue) => `${issue.field}: ${inWords(issue.message)}`).join('; ') : inWords(failure.message);
  const sentence =
    failure.kind === 'invalid' && issues.length > 0
      ? wrong.length > 0
        ? 'The data provided is invalid.'
        : 'Additional fields are required.'
      : message;
  const namesFields = failure.kind === 'invalid' || (failure.kind === 'not_found' && issues.length > 0);
  const body: z.input<typeof PracticeError> = {
    error: sentence,
    ...(sentence === message ? {} : { detailedmessage: message }),
    ...(namesFields ? { missingfields: missing, invalidfields: wrong } : {}),
  };
  return { status: toStatus(failure), body, fields: issues.map(({ field }) => field) };
}
