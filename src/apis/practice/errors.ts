import { z } from 'zod';
import type { Failure } from '../../domain/errors.ts';
import { type FailureAnswer, statusOf } from '../../http/failures.ts';

export const PracticeError = z
  .strictObject({
    error: z.string().describe('For a person'),
    detailedmessage: z.string().optional().describe('For a developer'),
    missingfields: z.array(z.string()).optional(),
    invalidfields: z.array(z.string()).optional(),
  })
  .meta({ id: 'Error' });

/** A failure as practice systems of this style know it. */
export function writePracticeError(failure: Failure): FailureAnswer {
  const missing = failure.issues.filter((issue) => issue.missing).map(({ field }) => field);
  const wrong = failure.issues.filter((issue) => !issue.missing).map(({ field }) => field);
  const sentence =
    failure.kind === 'invalid' && failure.issues.length > 0
      ? wrong.length > 0
        ? 'The data provided is invalid.'
        : 'Additional fields are required.'
      : failure.message;
  const body: z.input<typeof PracticeError> = {
    error: sentence,
    ...(sentence === failure.message ? {} : { detailedmessage: failure.message }),
    ...(failure.kind === 'invalid' ? { missingfields: missing, invalidfields: wrong } : {}),
  };
  return { status: statusOf(failure), body };
}
