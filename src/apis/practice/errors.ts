import { z } from 'zod';
import type { Failure } from '../../domain/errors.ts';
import type { PatientInput } from '../../domain/patients/registration.ts';
import { type ErrorResponse, statusOf } from '../../http/error-mapping.ts';

export const PracticeError = z
  .strictObject({
    error: z.string().describe('For a person'),
    detailedmessage: z.string().optional().describe('For a developer'),
    missingfields: z.array(z.string()).optional(),
    invalidfields: z.array(z.string()).optional(),
  })
  .meta({ id: 'Error' });

/** The domain's names of fields that it may find wrong, in the words of this dialect. */
const FIELDS = {
  firstName: 'firstname',
  lastName: 'lastname',
  birthDate: 'dob',
  homePhone: 'homephone',
  mobilePhone: 'mobilephone',
  officeId: 'departmentid',
  primaryOfficeId: 'departmentid',
} satisfies { [K in 'officeId' | keyof PatientInput]?: string };

const fieldNames = new Map<string, string>(Object.entries(FIELDS));

/** An office is called a department here. */
const inWords = (message: string) => message.replace('no such office', 'no such department');

/** A failure as practice systems of this style know it. */
export function writePracticeError(failure: Failure): ErrorResponse {
  const issues = failure.issues.map((issue) => ({ ...issue, field: fieldNames.get(issue.field) ?? issue.field }));
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
  const body: z.input<typeof PracticeError> = {
    error: sentence,
    ...(sentence === message ? {} : { detailedmessage: message }),
    ...(failure.kind === 'invalid' ? { missingfields: missing, invalidfields: wrong } : {}),
  };
  return { status: statusOf(failure), body };
}
