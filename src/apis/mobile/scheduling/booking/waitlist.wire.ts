import { z } from 'zod';
import {
  PRIORITIES,
  USUAL,
  WAITLIST_CHANNELS,
  WAITLIST_NOTE_LENGTH,
  WAITLIST_STATUSES,
  type Waiting,
  type WaitlistFilter,
  type WaitlistInput,
} from '../../../../domain/scheduling/patient-booking/waitlist.ts';
import type { WaitlistReport } from '../../../../domain/scheduling/patient-booking/waitlist-report.ts';
import { writeDay, writeInstant } from '../../../../domain/values/time/time.ts';
import { writeMinute } from '../../../../domain/values/time/week-times.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import {
  calendarDay,
  dateBound,
  day,
  id,
  instant,
  longId,
  multilineText,
  optional,
  paging,
  renameFields,
} from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { clock, listOrOne, weekday } from '../free-time/availability.wire.ts';

const priorities = z.enum(PRIORITIES);
const channels = z.enum(WAITLIST_CHANNELS);
const statuses = z.enum(WAITLIST_STATUSES);

export const WaitlistShape = z
  .strictObject({
    uuid: z.int(),
    patient_id: z.int(),
    appointment_type_id: z.int(),
    provider_id: z.int().nullable().describe('Provider id; null for any'),
    office_id: z.int().nullable().describe('Office id; null for any'),
    priority: priorities.describe('HIGH is offered a time before NORMAL, and NORMAL before LOW'),
    weekdays: z.array(z.int()).describe('1 Monday to 7 Sunday; empty for any'),
    from: z.string().describe('Earliest time of day of the visit, local to the office'),
    until: z.string().describe('Latest time of day for the start, exclusive, up to 24:00'),
    earliest: calendarDay().nullable().describe('First day of the visit'),
    latest: calendarDay().nullable().describe('Last day of the visit'),
    waits_until: calendarDay().nullable().describe('Last day on which a time is offered; null until the entry is deleted'),
    channel: channels.nullable().describe('How the offer is sent; null for the patient’s preferred way'),
    note: z.string().nullable().describe('Note by the practice'),
    appointment_id: z.int().nullable().describe('Visit to move to an offered time; once booked, the booked visit'),
    status: statuses.describe('waiting; booked, once an offered time was taken; ended, once deleted'),
    offer: z
      .strictObject({
        starts_at: instant().describe('Start of the offered visit'),
        ends_at: instant().describe('End of the offered visit'),
        expires_at: instant().describe('When the offer ends'),
      })
      .nullable()
      .describe('The time held for the patient, and until when; null if there is none'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'WaitlistEntry' });

export const WaitlistResponse = one(WaitlistShape).meta({ id: 'WaitlistEntryResponse' });
export const WaitlistList = wrapList(WaitlistShape).meta({ id: 'WaitlistEntryList' });

const required = { patient_id: id().describe('Patient id'), appointment_type_id: id().describe('Appointment type id') };
const further = {
  provider_id: optional(id()).describe('Provider id; null for any'),
  office_id: optional(id()).describe('Office id; null for any'),
  priority: optional(z.preprocess((sent) => (typeof sent === 'string' ? sent.trim().toUpperCase() : sent), priorities)).describe(
    'NORMAL by default',
  ),
  weekdays: optional(listOrOne(z.array(weekday()).max(7))).describe('1 Monday to 7 Sunday, also by name; empty for any'),
  from: optional(clock()).describe('Earliest time of day of the visit, local to the office'),
  until: optional(clock()).describe('Latest time of day for the start, exclusive'),
  earliest: optional(day()).describe('First day of the visit'),
  latest: optional(day()).describe('Last day of the visit'),
  waits_until: optional(day()).describe('Last day on which a time is offered'),
  channel: optional(channels).describe('How the offer is sent; null for the patient’s preferred way'),
  note: optional(multilineText(WAITLIST_NOTE_LENGTH)).describe('Note by the practice'),
  appointment_id: optional(longId()).describe('Id of an upcoming visit of the patient to move to the offered time'),
};

export const WaitlistCreate = z.object({ ...required, ...further }).meta({ id: 'WaitlistEntryCreate' });
export const WaitlistUpdate = z
  .object({ appointment_type_id: required.appointment_type_id })
  .partial()
  .extend(further)
  .meta({ id: 'WaitlistEntryUpdate' });

export const waitlistParams = z.object({ uuid: longId().describe('Waitlist entry id') });
export const waitlistQuery = z.object({
  patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id'),
  type: alsoNamed(id().optional(), 'appointment_type', 'appointment_type_id', 'type_id').describe('Appointment type id'),
  provider: alsoNamed(id().optional(), ...filterNames('provider')).describe('Provider id'),
  office: alsoNamed(id().optional(), ...filterNames('office')).describe('Office id'),
  priority: priorities.optional(),
  status: statuses.default('waiting').describe('waiting by default'),
  ...paging,
});

export const toWaitlistFilter = ({
  patient,
  type,
  provider,
  office,
  priority,
  status,
}: z.output<typeof waitlistQuery>): WaitlistFilter => ({
  patientId: patient,
  typeId: type,
  providerId: provider,
  officeId: office,
  priority,
  status,
});

export const WAITLIST_NAMES = {
  typeId: 'appointment_type_id',
  providerId: 'provider_id',
  officeId: 'office_id',
  priority: 'priority',
  weekdays: 'weekdays',
  fromMinute: 'from',
  untilMinute: 'until',
  earliest: 'earliest',
  latest: 'latest',
  waitsUntil: 'waits_until',
  channel: 'channel',
  note: 'note',
  appointmentId: 'appointment_id',
} as const;

/** Null sets a field to what a new entry has. */
export function toWaitlistChanges(request: z.output<typeof WaitlistUpdate>): Partial<WaitlistInput> {
  const { weekdays, ...fields } = renameFields(request, WAITLIST_NAMES);
  const usual = new Map<string, unknown>(Object.entries(USUAL));
  const given = { ...fields, weekdays: weekdays && [...new Set(weekdays)].sort((a, b) => a - b) };
  const sent = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, value ?? usual.get(name)]));
}

export const toNewWaiting = ({ patient_id: patientId, ...request }: z.output<typeof WaitlistCreate>): WaitlistInput => ({
  ...USUAL,
  weekdays: [],
  ...toWaitlistChanges(request),
  patientId,
  typeId: request.appointment_type_id,
});

export const fromWaiting = (entry: Waiting): z.input<typeof WaitlistShape> => ({
  uuid: entry.id,
  patient_id: entry.patientId,
  appointment_type_id: entry.typeId,
  provider_id: entry.providerId,
  office_id: entry.officeId,
  priority: entry.priority,
  weekdays: entry.weekdays,
  from: writeMinute(entry.fromMinute),
  until: writeMinute(entry.untilMinute),
  earliest: writeDay(entry.earliest),
  latest: writeDay(entry.latest),
  waits_until: writeDay(entry.waitsUntil),
  channel: entry.channel === null ? null : channels.parse(entry.channel),
  note: entry.note,
  appointment_id: entry.appointmentId,
  status: entry.status,
  offer: entry.offer && {
    starts_at: writeInstant(entry.offer.startsAt),
    ends_at: writeInstant(entry.offer.endsAt),
    expires_at: writeInstant(entry.offer.expiresAt),
  },
  created_at: writeInstant(entry.createdAt),
  updated_at: writeInstant(entry.updatedAt),
});

export const reportQuery = z.object({
  from: dateBound().optional().describe('A day or a date-time; without an offset in the organization’s time zone'),
  until: alsoNamed(dateBound().optional(), 'to').describe('A day (inclusive) or a date-time'),
});

const number = (description: string) => z.int().describe(description);
export const WaitlistReportShape = one(
  z
    .strictObject({
      offered: number('Number of offers made'),
      accepted: number('Number of offers booked by the patient'),
      declined: number('Declined'),
      expired: number('Number of offers not answered in time'),
      withdrawn: number('Number of offers that were not sent or were withdrawn'),
      open: number('Number of times held now'),
      recovered_visits: number('Number of visits booked from offers and not cancelled'),
      recovered_minutes: number('Minutes of these visits'),
      waiting: number('Number of patients waiting now'),
    })
    .meta({ id: 'WaitlistReport' }),
).meta({ id: 'WaitlistReportResponse' });

export const fromReport = ({ recoveredVisits, recoveredMinutes, ...counts }: WaitlistReport) => ({
  data: { ...counts, recovered_visits: recoveredVisits, recovered_minutes: recoveredMinutes },
});
