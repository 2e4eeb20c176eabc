import { z } from 'zod';
import { invalid, missing } from '../../../domain/errors.ts';
import type { OpenTime } from '../../../domain/scheduling/booking/open-times.sql.ts';
import type { OpenTimesFilter } from '../../../domain/scheduling/booking/open-times.ts';
import { id, optional, text } from '../../../http/wire/wire-types.ts';
import { longPaging, pageLinkShapes } from '../paging.ts';
import { eitherPart, idList, option, yesNo } from '../parameters.ts';
import { usDay } from './appointments.wire.ts';

/** An open time as public clients of practice systems read it, with numbers where booked ones have texts. */
export const OpenAppointmentShape = z
  .strictObject({
    appointmentid: z.int().describe('Id for booking it'),
    appointmenttype: z.string().describe('Name of the appointment type; empty without one'),
    appointmenttypeid: z.int().optional().describe('Appointment type id; absent without one'),
    patientappointmenttypename: z.string().describe('Name of the appointment type for patients'),
    date: z
      .string()
      .regex(/^\d{2}\/\d{2}\/\d{4}$/)
      .describe('Day, mm/dd/yyyy, in the department’s time zone'),
    starttime: z
      .string()
      .regex(/^\d{2}:\d{2}$/)
      .describe('Time of day, hh24:mi'),
    duration: z.int().describe('Minutes'),
    departmentid: z.int().optional().describe('Department id'),
    providerid: z.int().optional().describe('Provider id'),
    localproviderid: z.int().optional().describe('Same as providerid'),
    reasonid: z.array(z.string()).describe('Reasons for booking it: the id of its type, otherwise -1'),
    frozen: z.boolean().optional().describe('true if it cannot be booked; only with showfrozenslots'),
  })
  .meta({ id: 'OpenAppointment' });

export const OpenAppointmentList = z
  .strictObject({
    totalcount: z.int().describe('Number of open times on all pages'),
    appointments: z.array(OpenAppointmentShape).describe('The open times of this page, sorted by start'),
    ...pageLinkShapes,
  })
  .meta({ id: 'OpenAppointmentList' });

const REASON = 'Reason id, equal to the appointment type id; -1 for any';
/** Without -1, which stands for any reason. */
const reasons = () =>
  z.preprocess(
    (sent) => (Array.isArray(sent) ? sent : [sent]).flatMap((one) => String(one ?? '').split(',')).filter((one) => one.trim() !== '-1'),
    idList(),
  );

export const openQuery = z.object({
  departmentid: id().describe('Department id'),
  'providerid[]': idList().optional().describe('Providers, comma-separated or repeated; all by default'),
  appointmenttypeid: optional(id()).describe('Appointment type id'),
  reasonid: reasons().optional().describe(`${REASON}. Without a type, times of the default length`),
  startdate: optional(usDay()).describe('First day, mm/dd/yyyy; today by default'),
  enddate: optional(usDay()).describe('Last day; a week after the first by default, 31 days at most'),
  bypassscheduletimechecks: option().describe('Include times outside of the type’s booking window'),
  ignoreschedulablepermission: option().describe('Include times that only staff can book'),
  showfrozenslots: option().describe('Include frozen appointments'),
  ...longPaging,
});

export const toOpenFilter = (query: z.output<typeof openQuery>): OpenTimesFilter => {
  const typeIds = [...new Set([...(query.appointmenttypeid == null ? [] : [query.appointmenttypeid]), ...(query.reasonid ?? [])])];
  return {
    officeId: query.departmentid,
    providerIds: query['providerid[]'] ?? null,
    typeIds: typeIds.length > 0 ? typeIds : null,
    dates: { min: query.startdate ?? undefined, max: query.enddate ?? undefined, fields: { min: 'startdate', max: 'enddate' } },
    atAnyTime: query.bypassscheduletimechecks,
    typeField: query.appointmenttypeid == null ? 'reasonid' : 'typeId',
    withFrozen: query.showfrozenslots,
    by: query.ignoreschedulablepermission ? 'staff' : 'apps',
  };
};

export function fromOpenTime(open: OpenTime): z.input<typeof OpenAppointmentShape> {
  const { localStart, typeId, typeName } = open;
  return {
    appointmentid: open.id,
    appointmenttype: typeName ?? '',
    appointmenttypeid: typeId ?? undefined,
    patientappointmenttypename: typeName ?? '',
    date: `${localStart.slice(5, 7)}/${localStart.slice(8, 10)}/${localStart.slice(0, 4)}`,
    starttime: localStart.slice(11, 16),
    duration: open.durationMinutes,
    departmentid: open.officeId ?? undefined,
    providerid: open.providerId ?? undefined,
    localproviderid: open.providerId ?? undefined,
    reasonid: [String(typeId ?? -1)],
    frozen: open.frozen ? true : undefined,
  };
}

const TIME = /^([01]?\d|2[0-3]):[0-5]\d$/;
const TIMES = String.raw`^ *([01]?\d|2[0-3]):[0-5]\d *(, *([01]?\d|2[0-3]):[0-5]\d *)*$`;
const times = () =>
  text(1_000)
    .meta({ pattern: TIMES })
    .transform((written, context) => {
      const all = written.split(',').map((one) => one.trim());
      if (all.every((one) => TIME.test(one))) return all.map((one) => one.padStart(5, '0'));
      context.addIssue('must be times of day such as 09:30, separated by commas');
      return z.NEVER;
    });

export const OpenForm = z
  .object({
    departmentid: id().describe('Department id'),
    providerid: id().describe('Provider id'),
    appointmentdate: usDay().describe('Day, mm/dd/yyyy'),
    appointmenttime: times().describe('Times of day, hh24:mi, separated by commas'),
    appointmenttypeid: optional(id()).describe('Appointment type id; required unless there is a reasonid'),
    reasonid: optional(id()).describe('Reason id, equal to the appointment type id'),
  })
  .meta({ id: 'OpenAppointmentForm' });

export const OpenedShape = z
  .strictObject({ appointmentids: z.record(z.string(), z.string()).describe('Time of day of each new appointment, keyed by id') })
  .meta({ id: 'OpenedAppointments' });

/** A type and a reason, which is a type here. @throws Failure invalid for two different ones */
function toTypeId(appointmenttypeid: number | null | undefined, reasonid: number | null | undefined): number | null {
  if (appointmenttypeid && reasonid && appointmenttypeid !== reasonid)
    throw invalid('reasonid', 'differs from appointmenttypeid', 'contradiction');
  return appointmenttypeid ?? reasonid ?? null;
}

/** @throws Failure invalid without a type, or for two different ones */
export function toOpenAppointments({ appointmenttypeid, reasonid, ...form }: z.output<typeof OpenForm>) {
  const typeId = toTypeId(appointmenttypeid, reasonid);
  if (typeId === null) throw missing('appointmenttypeid');
  const common = { officeId: form.departmentid, providerId: form.providerid, typeId };
  return form.appointmenttime.map((time) => ({ time, input: { ...common, date: `${form.appointmentdate}T${time}:00` } }));
}

export const BookParameters = z.object({
  patientid: optional(id()).describe('Patient id; required, in the query or in the form'),
  appointmenttypeid: optional(id()).describe('Appointment type id, if the open time has none'),
  reasonid: optional(z.preprocess((sent) => (String(sent) === '-1' ? null : sent), id().nullable())).describe(REASON),
  departmentid: optional(id()).describe('Department id, which must be that of the open time'),
  bookingnote: optional(text(4_000)).describe('Ignored'),
  donotsendconfirmationemail: yesNo().describe('Ignored: the practice’s settings decide how patients are notified'),
  ignoreschedulablepermission: yesNo().describe('Ignored'),
  nopatientcase: yesNo().describe('Ignored'),
  urgent: yesNo().describe('Ignored'),
});
export const BookForm = BookParameters.meta({ id: 'AppointmentBookingForm' });

type Sent = Partial<z.output<typeof BookParameters>>;

/** @throws Failure invalid without a patient, or where the query and the form contradict each other */
export function toBooking(query: Sent, form: Sent): { patientId: number; typeId: number | null } {
  const patientId = eitherPart('patientid', query.patientid, form.patientid);
  if (patientId === null) throw missing('patientid');
  const typeId = eitherPart('appointmenttypeid', query.appointmenttypeid, form.appointmenttypeid);
  return { patientId, typeId: toTypeId(typeId, eitherPart('reasonid', query.reasonid, form.reasonid)) };
}

export const FreezeParameters = z.object({
  freeze: yesNo().describe('true to freeze it, false to unfreeze it; required, in the query or in the form'),
  requirescancellation: yesNo().describe('Ignored'),
});
export const FreezeForm = FreezeParameters.meta({ id: 'AppointmentFreezeForm' });

/** @throws Failure invalid without a choice */
export function toFreeze(query: Partial<z.output<typeof FreezeParameters>>, form: Partial<z.output<typeof FreezeParameters>>): boolean {
  const freeze = eitherPart('freeze', query.freeze, form.freeze);
  if (freeze === null) throw missing('freeze');
  return freeze;
}

export const FrozenShape = z
  .strictObject({ success: z.boolean().describe('Whether it was changed'), errormessage: z.string().describe('Empty if it was changed') })
  .meta({ id: 'FrozenAppointment' });
