import { z } from 'zod';
import { missing } from '../../../domain/errors.ts';
import {
  PRIORITIES,
  USUAL,
  WAITLIST_NOTE_LENGTH,
  type Waiting,
  type WaitlistFilter,
  type WaitlistInput,
} from '../../../domain/scheduling/patient-booking/waitlist.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { id, integerBetween, longId, multilineText, optional } from '../../../http/wire/wire-types.ts';
import { writeEasternTime } from '../eastern-times.wire.ts';
import { pageLinkShapes, paging } from '../paging.ts';
import { eitherPart, yesNo } from '../parameters.ts';

const priorities = z.enum(PRIORITIES);
/** Days of the week are counted from 1, Sunday, here. */
const toWeekday = (day: number): number => (day === 1 ? 7 : day - 1);
const fromWeekday = (weekday: number): number => (weekday === 7 ? 1 : weekday + 1);

const WaitlistEntryShape = z
  .strictObject({
    waitlistid: z.int().describe('Waitlist entry id'),
    patientid: z.int().describe('Patient id'),
    appointmenttypeid: z.int().describe('Appointment type id'),
    providerid: z.int().optional().describe('Provider id; absent for any'),
    departmentid: z.int().optional().describe('Department id; absent for any'),
    allowanydepartment: z.boolean().describe('Whether any department is acceptable'),
    priority: priorities.describe('HIGH is offered a time before NORMAL, and NORMAL before LOW'),
    dayofweekids: z.array(z.int()).optional().describe('1 Sunday to 7 Saturday; absent for any'),
    hourfrom: z.int().optional().describe('Earliest hour for the start of the visit; absent for any'),
    hourto: z.int().optional().describe('Latest hour for the start of the visit; absent for any'),
    appointmentid: z.int().optional().describe('Booked appointment to move to an offered time; absent if none'),
    note: z.string().optional().describe('A note of the practice'),
    created: z.string().describe('When the patient began to wait, mm/dd/yyyy hh24:mi:ss in Eastern time'),
  })
  .meta({ id: 'WaitlistEntry' });

export const WaitlistShape = z
  .strictObject({
    totalcount: z.int().describe('Number of entries on all pages'),
    waitlist: z.array(WaitlistEntryShape).describe('The entries of this page, in the order of offers'),
    ...pageLinkShapes,
  })
  .meta({ id: 'Waitlist' });

export const waitlistParams = z.object({ waitlistId: longId().describe('Waitlist entry id') });

const days = () =>
  z.preprocess(
    (sent) => {
      const parts = Array.isArray(sent) ? sent : typeof sent === 'string' ? sent.replace(/^\s*\[(.*)\]\s*$/, '$1').split(',') : [sent];
      return parts.flatMap((part) => (typeof part === 'string' && part.trim() === '' ? [] : [part]));
    },
    z.array(integerBetween(1, 7)).max(7),
  );
const hour = () => optional(integerBetween(0, 23));

const wanted = {
  appointmenttypeid: optional(id()).describe('Appointment type id; required for a new entry'),
  providerid: optional(id()).describe('Provider id; any by default'),
  departmentid: optional(id()).describe('Department id; any by default'),
  allowanydepartment: yesNo().describe('Whether any department is acceptable, in addition to departmentid'),
  priority: optional(z.preprocess((sent) => (typeof sent === 'string' ? sent.trim().toUpperCase() : sent), priorities)).describe(
    'LOW, NORMAL or HIGH; NORMAL by default',
  ),
  dayofweekids: days().optional().describe('1 Sunday to 7 Saturday, separated by commas or as a JSON array; any by default'),
  hourfrom: hour().describe('Earliest hour for the start of the visit, 0 to 23'),
  hourto: hour().describe('Latest hour for the start of the visit, 0 to 23'),
  appointmentid: optional(longId()).describe('Id of a booked appointment of the patient to move to an offered time'),
  note: optional(multilineText(WAITLIST_NOTE_LENGTH)).describe('A note of the practice'),
};

export const WaitlistParameters = z.object({ patientid: optional(id()).describe('Patient id; required for a new entry'), ...wanted });
export const WaitlistForm = WaitlistParameters.meta({ id: 'WaitlistForm' });
export const CreatedShape = z.strictObject({ waitlistid: z.int().describe('Waitlist entry id') }).meta({ id: 'WaitlistEntryCreated' });

export const waitlistQuery = z.object({
  patientid: optional(id()).describe('Patient id'),
  appointmenttypeid: optional(id()).describe('Appointment type id'),
  providerid: optional(id()).describe('Provider id'),
  departmentid: optional(id()).describe('Department id'),
  priority: wanted.priority,
  ...paging,
});

export const toWaitlistFilter = (query: z.output<typeof waitlistQuery>): WaitlistFilter => ({
  patientId: query.patientid ?? undefined,
  typeId: query.appointmenttypeid ?? undefined,
  providerId: query.providerid ?? undefined,
  officeId: query.departmentid ?? undefined,
  priority: query.priority ?? undefined,
  status: 'waiting',
});

type Sent = Partial<z.output<typeof WaitlistParameters>>;

/** The parameters of the query and the form together. @throws Failure invalid where they contradict each other */
export const bothParts = (query: Sent, form: Sent): Sent => {
  const names = new Set([...Object.keys(query), ...Object.keys(form)]);
  const [inQuery, inForm] = [new Map<string, unknown>(Object.entries(query)), new Map<string, unknown>(Object.entries(form))];
  const value = (name: string) => eitherPart(name, inQuery.get(name), inForm.get(name), (one) => JSON.stringify(one));
  return Object.fromEntries(
    [...names].flatMap((name) => (inQuery.get(name) === undefined && inForm.get(name) === undefined ? [] : [[name, value(name)]])),
  );
};

/** Hours are included here: from nine to nine is until ten. An empty field takes what a new entry has. */
export function toWaitlistChanges(sent: Sent): Partial<WaitlistInput> {
  const officeId = sent.allowanydepartment === true ? null : sent.departmentid;
  const given = {
    typeId: sent.appointmenttypeid ?? undefined,
    providerId: sent.providerid,
    officeId,
    note: sent.note,
    appointmentId: sent.appointmentid,
    priority: sent.priority === null ? USUAL.priority : sent.priority,
    weekdays: sent.dayofweekids && [...new Set(sent.dayofweekids.map(toWeekday))].sort((a, b) => a - b),
    fromMinute: sent.hourfrom === null ? USUAL.fromMinute : sent.hourfrom && sent.hourfrom * 60,
    untilMinute: sent.hourto === null ? USUAL.untilMinute : sent.hourto === undefined ? undefined : (sent.hourto + 1) * 60,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** @throws Failure invalid without a patient, or a type */
export function toNewWaiting(sent: Sent): WaitlistInput {
  const { patientid: patientId, appointmenttypeid: typeId } = sent;
  if (patientId == null) throw missing('patientid');
  if (typeId == null) throw missing('appointmenttypeid');
  return { ...USUAL, weekdays: [], ...toWaitlistChanges(sent), patientId, typeId };
}

export const fromWaiting = (entry: Waiting): z.input<typeof WaitlistEntryShape> => ({
  waitlistid: entry.id,
  patientid: entry.patientId,
  appointmenttypeid: entry.typeId,
  providerid: entry.providerId ?? undefined,
  departmentid: entry.officeId ?? undefined,
  allowanydepartment: entry.officeId === null,
  priority: entry.priority,
  ...(entry.weekdays.length > 0 && { dayofweekids: entry.weekdays.map(fromWeekday).sort((a, b) => a - b) }),
  ...(entry.fromMinute > USUAL.fromMinute && { hourfrom: Math.floor(entry.fromMinute / 60) }),
  ...(entry.untilMinute < USUAL.untilMinute && { hourto: Math.ceil(entry.untilMinute / 60) - 1 }),
  appointmentid: entry.appointmentId ?? undefined,
  note: entry.note ?? undefined,
  created: writeEasternTime(writeInstant(entry.createdAt)),
});
