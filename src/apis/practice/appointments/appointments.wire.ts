import { z } from 'zod';
import { invalid, missing, WrongFields } from '../../../domain/errors.ts';
import { CANCEL_REASONS } from '../../../domain/scheduling/appointment/cancel-reasons.ts';
import { APPOINTMENT_LIMITS } from '../../../domain/scheduling/appointment/field-limits.ts';
import type { BookedFilter, BookedStage, DayRange } from '../../../domain/scheduling/booked/booked-appointments.sql.ts';
import type { NewPlace, OfPatient } from '../../../domain/scheduling/booked/booked-appointments.ts';
import { dayFault, readUsDay, US_DAY, writeDay } from '../../../domain/values/time/time.ts';
import { id, integerBetween, longId, optional, position, text } from '../../../http/wire/wire-types.ts';
import { easternTime, readEasternRange } from '../eastern-times.wire.ts';
import { longPaging, pageLinkShapes, paging } from '../paging.ts';
import { eitherPart, idList, option } from '../parameters.ts';
import { AppointmentShape, confirmations, showsConfirmation } from './appointment.wire.ts';

/** The name on the wire of each field of an appointment that an error may name. */
export const APPOINTMENT_NAMES = {
  newAppointmentId: 'newappointmentid',
  ofPatientId: 'patientid',
  date: 'appointmentdate',
  typeId: 'appointmenttypeid',
  officeId: 'departmentid',
} as const;

export const AppointmentList = z
  .strictObject({
    totalcount: z.int().describe('Number of appointments on all pages'),
    appointments: z.array(AppointmentShape).describe('The appointments of this page, sorted by start'),
    ...pageLinkShapes,
  })
  .meta({ id: 'AppointmentList' });

export const appointmentParams = z.object({ appointmentId: longId().describe('Appointment id') });
export const patientParams = z.object({ patientId: id().describe('Patient id') });

const faultOfDay = dayFault(US_DAY, 'must be a day such as 04/14/2027 (mm/dd/yyyy)');

/** A day as `YYYY-MM-DD`; sent as mm/dd/yyyy, with or without zeros. */
export const usDay = () =>
  z
    .string()
    .transform((sent, context) => {
      const day = readUsDay(sent.trim());
      if (day !== null) return writeDay(day);
      context.addIssue(faultOfDay(sent));
      return z.NEVER;
    })
    .meta({ pattern: String.raw`^\d{1,2}/\d{1,2}/\d{4}$` });

const STAGES: Readonly<Record<string, BookedStage>> = { f: 'booked', o: 'open', x: 'ended', 2: 'arrived', 3: 'completed' };

/** One or several letters, separated by commas; 4 (charge entered) is a status that no appointment has here. */
const stages = () =>
  text(40)
    .meta({ pattern: '^[foxFOX234]( *, *[foxFOX234])*$' })
    .transform((sent, context): BookedStage[] => {
      const letters = sent.split(',').map((one) => one.trim().toLowerCase());
      if (letters.some((letter) => letter !== '4' && !Object.hasOwn(STAGES, letter))) {
        context.addIssue('must be f, o, x, 2, 3 or 4, or several of them, separated by commas');
        return z.NEVER;
      }
      return letters.flatMap((letter) => STAGES[letter] ?? []);
    });

const DAY = 'mm/dd/yyyy';
const showcancelled = option().describe('Include cancelled and missed appointments');

export const bookedQuery = z.object({
  startdate: usDay().describe(`First day, ${DAY}, in the appointments’ time zones`),
  enddate: usDay().describe(`Last day, ${DAY}`),
  'departmentid[]': idList().optional().describe('Departments, comma-separated or repeated'),
  'providerid[]': idList().optional().describe('Providers'),
  'patientid[]': idList().optional().describe('Patients'),
  'appointmenttypeid[]': idList().optional().describe('Appointment types'),
  appointmentstatus: optional(stages()).describe('Only f, 2, 3, x or o, or several of them, separated by commas; f, 2 and 3 by default'),
  showcancelled,
  startlastmodified: optional(easternTime()).describe('Changed from this time on, mm/dd/yyyy hh24:mi:ss in Eastern time'),
  endlastmodified: optional(easternTime()).describe('Changed until this time'),
  scheduledstartdate: optional(easternTime()).describe(`Booked from this day on, ${DAY} in Eastern time`),
  scheduledenddate: optional(easternTime()).describe('Booked until this day'),
  ...showsConfirmation,
  ...longPaging,
  ...position,
});

export const patientAppointmentsQuery = z.object({
  startdate: optional(usDay()).describe(`First day, ${DAY}, in the appointments’ time zones`),
  enddate: optional(usDay()).describe(`Last day, ${DAY}; a past day finds nothing without startdate or showpast`),
  showpast: option().describe('Include appointments before today; by default, without a startdate, starts today'),
  showcancelled,
  ...showsConfirmation,
  ...paging,
  ...position,
});

const UNBOUND = { from: null, before: null };

function toStages({
  appointmentstatus,
  showcancelled: cancelled,
}: {
  appointmentstatus?: BookedStage[] | null | undefined;
  showcancelled: boolean;
}) {
  const asked: BookedStage[] = appointmentstatus ?? ['booked', 'arrived', 'completed'];
  return [...new Set([...asked, ...(cancelled ? (['ended'] as const) : [])])];
}

/** @throws Failure invalid where the last day is before the first */
function toDayRange({ startdate, enddate }: { startdate?: string | null | undefined; enddate?: string | null | undefined }): DayRange {
  if (startdate && enddate && startdate > enddate) throw invalid('startdate', 'must not be after enddate', 'range_is_empty');
  return { from: startdate ?? null, to: enddate ?? null };
}

/** @throws Failure invalid where a range ends before it begins */
export async function toBookedFilter(query: z.output<typeof bookedQuery>): Promise<BookedFilter> {
  const modified = { min: 'startlastmodified', max: 'endlastmodified' };
  const scheduled = { min: 'scheduledstartdate', max: 'scheduledenddate' };
  return {
    days: toDayRange(query),
    stages: toStages(query),
    officeIds: query['departmentid[]'] ?? null,
    providerIds: query['providerid[]'] ?? null,
    patientIds: query['patientid[]'] ?? null,
    typeIds: query['appointmenttypeid[]'] ?? null,
    modified: await readEasternRange(query.startlastmodified, query.endlastmodified, modified),
    scheduled: await readEasternRange(query.scheduledstartdate, query.scheduledenddate, scheduled),
  };
}

/** @throws Failure invalid where the last day is before the first */
export const toPatientFilter = (patientId: number, query: z.output<typeof patientAppointmentsQuery>): BookedFilter => ({
  days: toDayRange(query),
  fromToday: !query.showpast && !query.startdate,
  stages: toStages(query),
  officeIds: null,
  providerIds: null,
  patientIds: [patientId],
  typeIds: null,
  modified: UNBOUND,
  scheduled: UNBOUND,
});

const ofPatient = { patientid: optional(id()).describe('Patient of the appointment; required, in the query or in the form') };

export const CancelParameters = z.object({
  ...ofPatient,
  appointmentcancelreasonid: optional(integerBetween(1, CANCEL_REASONS.length)).describe('Reason id from `GET /appointmentcancelreasons`'),
  cancellationreason: optional(text(APPOINTMENT_LIMITS.reason)).describe('Reason as text; the name of the reason by default'),
});
export const CancelForm = CancelParameters.meta({ id: 'AppointmentCancelForm' });

/** @throws Failure invalid where the query and the form contradict each other */
export function toCancellation(query: Sent<typeof CancelParameters>, form: Sent<typeof CancelParameters>) {
  const id = eitherPart('appointmentcancelreasonid', query.appointmentcancelreasonid, form.appointmentcancelreasonid);
  const reason = CANCEL_REASONS.find((one) => one.id === id);
  const words = eitherPart('cancellationreason', query.cancellationreason, form.cancellationreason);
  return { isNoShow: reason?.isNoShow ?? false, text: words ?? reason?.name ?? null };
}

export const ConfirmationParameters = z.object({
  ...ofPatient,
  confirmation: optional(confirmations()).describe('The patient’s answer: Yes, No, or Pending to reset it; required'),
});
export const ConfirmationForm = ConfirmationParameters.meta({ id: 'AppointmentConfirmationForm' });

/** @throws Failure invalid naming all that is missing, or that the query and the form contradict each other in */
export async function toConfirmation(
  appointmentId: number,
  query: Sent<typeof ConfirmationParameters>,
  form: Sent<typeof ConfirmationParameters>,
) {
  const wrong = new WrongFields();
  const of = await wrong.check(() => toOfPatient(appointmentId, query, form));
  const answer = await wrong.check(() => eitherPart('confirmation', query.confirmation, form.confirmation));
  if (answer === null) wrong.add(missing('confirmation'));
  wrong.throwIfAny();
  if (!of || !answer) throw new Error('what is missing was named');
  return { of, answer };
}

export const CancelledShape = z.strictObject({ status: z.literal('x').describe('It is cancelled') }).meta({ id: 'CancelledAppointment' });

export const RescheduleParameters = z.object({
  ...ofPatient,
  newappointmentid: optional(longId()).describe('Id of an open appointment for the patient'),
  appointmentdate: optional(usDay()).describe(`New day, instead of newappointmentid, ${DAY}; the appointment keeps its id`),
  appointmenttime: optional(
    text(40).regex(/^([01]?\d|2[0-3]):[0-5]\d$/, 'must be a time of day from 00:00 to 23:59, such as 09:30'),
  ).describe('New time of day, with appointmentdate, hh24:mi in the appointment’s time zone'),
});
export const RescheduleForm = RescheduleParameters.meta({ id: 'AppointmentRescheduleForm' });

type Sent<T extends z.ZodType> = Partial<z.output<T>>;

/** @throws Failure invalid without a patient, or where the query and the form name different ones */
export function toOfPatient(appointmentId: number, query: Sent<typeof CancelParameters>, form: Sent<typeof CancelParameters>): OfPatient {
  const patientId = eitherPart('patientid', query.patientid, form.patientid);
  if (patientId === null) throw missing('patientid');
  return { appointmentId, patientId };
}

type Reschedule = Sent<typeof RescheduleParameters>;

/** @throws Failure invalid naming all that is missing or wrong */
export async function toReschedule(appointmentId: number, query: Reschedule, form: Reschedule): Promise<{ of: OfPatient; to: NewPlace }> {
  const wrong = new WrongFields();
  const of = await wrong.check(() => toOfPatient(appointmentId, query, form));
  const to = await wrong.check(() => toNewPlace(query, form));
  wrong.throwIfAny();
  if (!of || !to) throw new Error('what is missing was named');
  return { of, to };
}

/** @throws Failure invalid unless the request names either another appointment, or a day and a time */
function toNewPlace(query: Reschedule, form: Reschedule): NewPlace {
  const appointmentId = eitherPart('newappointmentid', query.newappointmentid, form.newappointmentid);
  const day = eitherPart('appointmentdate', query.appointmentdate, form.appointmentdate);
  const time = eitherPart('appointmenttime', query.appointmenttime, form.appointmenttime);
  if (appointmentId !== null) {
    if (day !== null || time !== null)
      throw invalid('newappointmentid', 'cannot be combined with appointmentdate and appointmenttime', 'two_places');
    return { appointmentId };
  }
  if (day === null && time === null) throw missing('newappointmentid');
  if (day === null) throw missing('appointmentdate');
  if (time === null) throw missing('appointmenttime');
  return { date: `${day}T${time.padStart(5, '0')}:00` };
}
