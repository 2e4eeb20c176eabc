import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/field-limits.ts';
import type { StatusChange } from '../../domain/scheduling/visits/visit-statuses.ts';
import { APPOINTMENT_STATUSES } from '../../domain/values/appointment-status.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { changeNotice } from './change-notices.ts';
import { instant, optional, text } from './wire-types.ts';

/** The status of a visit. */
export const visitStatus = () => z.enum(APPOINTMENT_STATUSES);

/** The statuses that an update gives a visit; it is cancelled by an operation of its own. */
export const updatedStatus = () =>
  optional(visitStatus().exclude(['cancelled'])).describe('Of an update, how far the visit is. A new appointment is scheduled');

const reason = () => optional(text(APPOINTMENT_LIMITS.reason));

export const StatusRequest = z
  .object({
    status: visitStatus().describe(
      'A visit that is to come or goes on takes each; one that is checked_out, completed, no_show or cancelled goes back for 24 hours',
    ),
    reason: reason().describe('Why, kept with the change'),
    notify: optional(changeNotice).describe('Of a cancellation: how to tell the patient. Defaults to the setting of the practice'),
  })
  .meta({ id: 'AppointmentStatusRequest' });

export const STATUS_DESCRIPTION =
  'Says that the patient has arrived, is in the room, was seen, has left or did not come; or cancels the visit. Within 24 hours, a visit that is checked_out, completed, no_show or cancelled is restored by the status that it had: 409 `time_taken` names who has its time meanwhile, 409 `restore_too_late` comes after that. Each change is kept in `status_changes`.';

const StatusChangeShape = z
  .strictObject({
    from: visitStatus().describe('The status before'),
    to: visitStatus().describe('The status since'),
    at: instant().describe('When'),
    by: z.string().describe('user, client, patient, operator or job'),
    user_id: z.int().nullable().describe('The user who changed it, or that of the client'),
    reason: z.string().nullable().describe('Why, as the user wrote; null where the patient may not be shown'),
  })
  .meta({ id: 'AppointmentStatusChange' });

export const statusChanges = () => z.array(StatusChangeShape).describe('Changes of its status, in their order');

export const fromStatusChanges = (changes: readonly StatusChange[]): z.input<typeof StatusChangeShape>[] =>
  changes.map(({ userId: user_id, at, ...change }) => ({ ...change, at: writeInstant(new Date(at)), user_id }));
