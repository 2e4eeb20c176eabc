import { z } from 'zod';

/** The ways to tell a patient that a visit was moved or cancelled. */
export const changeNotice = z.enum(['text', 'email', 'none']);

/** The parameters of a cancellation. */
export const cancelQuery = z.object({
  notify: changeNotice.optional().describe('How to tell the patient. Defaults to the setting of the practice'),
});
