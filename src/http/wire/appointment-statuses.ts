import { z } from 'zod';
import type { StatusChange } from '../../domain/scheduling/appointment/appointment-statuses.ts';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/appointment/field-limits.ts';
import { APPOINTMENT_STATUSES } from '../../domain/values/appointment-status.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { changeNotice } from './change-notices.ts';
import { instant, optional, text } from './wire-types.ts';

export const appointmentStatus = () => z.enum(APPOINTMENT_STATUSES);

/** The statuses that an update gives a visit; it is cancelled by an operation of its own. */
export const updatedStatus = () =>
  optional(appointmentStatus().exclude(['cancelled'])).describe('Progress of the visit, for an update; a new appointment is scheduled');

const reason = () => optional(text(APPOINTMENT_LIMITS.reason));

export const StatusRequest = z
  .object({
    status: appointmentStatus().describe(
      'An upcoming or current visit accepts any; one that is checked_out, completed, no_show or cancelled can be restored for 24 hours',
    ),
    reason: reason().describe('Reason, stored with the change'),
    notify: optional(changeNotice).describe('For a cancellation: how to notify the patient; defaults to the setting of the practice'),
  })
  .meta({ id: 'AppointmentStatusRequest' });

export const STATUS_DESCRIPTION =
  'Records that the patient has arrived, is in the room, was seen, has left or did not come; or cancels the visit. Within 24 hours, setting its former status restores a visit that is checked_out, completed, no_show or cancelled: 409 `time_taken` if the time is now taken, 409 `restore_too_late` after 24 hours. Each change is stored in `status_changes`.';

const StatusChangeShape = z
  .strictObject({
    from: appointmentStatus().describe('Former status'),
    to: appointmentStatus().describe('New status'),
    at: instant().describe('When'),
    by: z.string().describe('Kind of actor: user, client, patient, operator or job'),
    user_id: z.int().nullable().describe('User who changed it, or interface user of the client'),
    reason: z.string().nullable().describe('Reason as entered; null if the patient may not be shown'),
  })
  .meta({ id: 'AppointmentStatusChange' });

export const statusChanges = () => z.array(StatusChangeShape).describe('Status changes in order');

export const fromStatusChanges = (changes: readonly StatusChange[]): z.input<typeof StatusChangeShape>[] =>
  changes.map(({ userId: user_id, at, ...change }) => ({ ...change, at: writeInstant(new Date(at)), user_id }));
