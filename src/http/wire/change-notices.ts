import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/appointment/field-limits.ts';
import { text } from './wire-types.ts';

/** The ways to tell a patient that a visit was moved or cancelled. */
export const changeNotice = z.enum(['text', 'email', 'none']);

export const cancelQuery = z.object({
  notify: changeNotice.optional().describe('How to notify the patient; defaults to the setting of the practice'),
  reason: text(APPOINTMENT_LIMITS.reason).optional().describe('Reason, stored with the status change'),
});
