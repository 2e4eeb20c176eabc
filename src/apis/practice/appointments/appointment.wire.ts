import { z } from 'zod';
import { findReachedAt } from '../../../domain/scheduling/appointment/appointment-statuses.ts';
import type { AppointmentRecord } from '../../../domain/scheduling/booked/appointment-records.sql.ts';
import { type AppointmentStatus, isActiveAppointment } from '../../../domain/values/appointment-status.ts';
import { writeEasternTime } from '../eastern-times.wire.ts';
import { option } from '../parameters.ts';

const EASTERN = 'mm/dd/yyyy hh24:mi:ss in Eastern time';

export const confirmations = () => z.enum(['Yes', 'No', 'Pending']);

/** An appointment as public clients of practice systems read it; some refuse any other member. A member without a value is left out. */
export const AppointmentShape = z
  .strictObject({
    appointmentid: z.string().describe('Appointment id'),
    appointmentstatus: z
      .enum(['f', 'o', 'x', '2', '3'])
      .describe(
        'f: booked; o: open, without a patient; x: cancelled, missed, or no longer with a day; 2: the patient has arrived; 3: over',
      ),
    date: z
      .string()
      .regex(/^(\d{2}\/\d{2}\/\d{4})?$/)
      .describe('Day, mm/dd/yyyy, in the appointment’s time zone; empty if it no longer has a day'),
    starttime: z
      .string()
      .regex(/^(\d{2}:\d{2})?$/)
      .describe('Time of day, hh24:mi, in the appointment’s time zone; empty if it no longer has a day'),
    duration: z.int().describe('Minutes'),
    appointmenttypeid: z.string().describe('Id of the appointment type; empty without one'),
    appointmenttype: z.string().describe('Name of the appointment type; empty without one'),
    patientappointmenttypename: z.string().describe('Name of the appointment type for patients; empty without one'),
    departmentid: z.string().describe('Department id; empty without one'),
    providerid: z.string().describe('Provider id; empty without one'),
    patientid: z.string().optional().describe('Patient id; empty if the client may not see the patient, absent without a patient'),
    scheduledby: z.string().optional().describe('Name of the user who booked it for its patient or, if open, created it'),
    scheduleddatetime: z.string().describe(`When it was booked for its patient or, if open, created; ${EASTERN}`),
    lastmodified: z.string().optional().describe(`When it was last changed, ${EASTERN}; absent without a patient`),
    cancelleddatetime: z.string().optional().describe(`When it was cancelled or lost its day, ${EASTERN}`),
    cancelreasonnoshow: z.boolean().optional().describe('For a cancelled or missed appointment: whether the patient did not come'),
    cancelledby: z.string().optional().describe('Name of the user who cancelled it or recorded that the patient did not come'),
    cancelreasonname: z.string().optional().describe('Reason as entered'),
    startcheckin: z.string().optional().describe(`When check-in began, ${EASTERN}; absent before that, and after a cancelled check-in`),
    stopcheckin: z.string().optional().describe(`When check-in was completed, ${EASTERN}`),
    checkindatetime: z.string().optional().describe('Same as stopcheckin'),
    checkoutdatetime: z.string().optional().describe(`When the patient checked out, ${EASTERN}`),
    confirmation: confirmations().optional().describe('The patient’s answer; only with showconfirmation'),
  })
  .meta({ id: 'Appointment' });

const STATUSES: Record<AppointmentStatus, z.input<typeof AppointmentShape>['appointmentstatus']> = {
  scheduled: 'f',
  arrived: '2',
  roomed: '2',
  in_progress: '2',
  checked_out: '3',
  completed: '3',
  no_show: 'x',
  cancelled: 'x',
};

const writeId = (id: number | null) => (id === null ? '' : String(id));

/** The names and the reason of an end, and the times at which the patient came and left. */
function fromAppointmentSteps({ status, statusChanges, changedBy, checkInStartedAt, hasPatient, patientId }: AppointmentRecord) {
  const toEastern = (at: string | null) => (at === null ? undefined : writeEasternTime(at));
  const isOver = !isActiveAppointment(status);
  const isOut = status === 'checked_out' || status === 'completed';
  const arrivedAt = status === 'scheduled' || isOver ? undefined : toEastern(findReachedAt(statusChanges, PRESENT));
  const isWithheld = hasPatient && patientId === null;
  return {
    cancelledby: (isOver && changedBy) || undefined,
    cancelreasonname: isOver && !isWithheld ? (statusChanges.at(-1)?.reason ?? undefined) : undefined,
    startcheckin: toEastern(checkInStartedAt),
    stopcheckin: arrivedAt,
    checkindatetime: arrivedAt,
    checkoutdatetime: isOut ? toEastern(findReachedAt(statusChanges, ['checked_out', 'completed'])) : undefined,
  };
}

/** Statuses of a patient who is there, or was. */
const PRESENT = ['arrived', 'roomed', 'in_progress', 'checked_out', 'completed'] as const;

/** The parameter that adds a member which some clients refuse. */
export const showsConfirmation = { showconfirmation: option().describe('Add the patient’s answer, as confirmation') };

export function fromAppointment(
  appointment: AppointmentRecord,
  { showconfirmation }: { showconfirmation: boolean },
): z.input<typeof AppointmentShape> {
  const { localStart, status, hasPatient, typeName } = appointment;
  const endedAt = appointment.cancelledAt ?? appointment.undatedAt;
  return {
    appointmentid: String(appointment.id),
    appointmentstatus: localStart === null ? 'x' : status === 'scheduled' && !hasPatient ? 'o' : STATUSES[status],
    date: localStart === null ? '' : `${localStart.slice(5, 7)}/${localStart.slice(8, 10)}/${localStart.slice(0, 4)}`,
    starttime: localStart === null ? '' : localStart.slice(11, 16),
    duration: appointment.durationMinutes,
    appointmenttypeid: writeId(appointment.typeId),
    appointmenttype: typeName ?? '',
    patientappointmenttypename: typeName ?? '',
    departmentid: writeId(appointment.officeId),
    providerid: writeId(appointment.providerId),
    patientid: hasPatient ? writeId(appointment.patientId) : undefined,
    scheduledby: appointment.bookedBy ?? undefined,
    scheduleddatetime: writeEasternTime(appointment.bookedAt),
    lastmodified: hasPatient ? writeEasternTime(appointment.updatedAt) : undefined,
    cancelleddatetime: endedAt === null ? undefined : writeEasternTime(endedAt),
    cancelreasonnoshow: localStart !== null && isActiveAppointment(status) ? undefined : status === 'no_show',
    ...fromAppointmentSteps(appointment),
    confirmation: showconfirmation ? appointment.confirmation : undefined,
  };
}
