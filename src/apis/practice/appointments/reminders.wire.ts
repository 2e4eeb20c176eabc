import { z } from 'zod';
import { invalid } from '../../../domain/errors.ts';
import { RECALL_TEXT_LENGTH, type Recall, type RecallFilter, type RecallInput } from '../../../domain/scheduling/types/recalls.ts';
import { writeDay, writeInstant } from '../../../domain/values/time/time.ts';
import { id, longId, multilineText, optional } from '../../../http/wire/wire-types.ts';
import { writeEasternTime } from '../eastern-times.wire.ts';
import { pageLinkShapes, paging } from '../paging.ts';
import { option } from '../parameters.ts';
import { usDay } from './appointments.wire.ts';

const DAY = 'mm/dd/yyyy';

/** A reminder as public clients read it; its ids are JSON integers. A member without a value is left out. */
export const ReminderShape = z
  .strictObject({
    appointmentreminderid: z.int().describe('Reminder id'),
    approximatedate: z
      .string()
      .regex(/^\d{2}\/\d{2}\/\d{4}$/)
      .describe(`Approximate day of the visit, ${DAY}`),
    patientid: z.int().describe('Patient id'),
    departmentid: z.int().describe('Department id'),
    providerid: z.int().optional().describe('Provider id'),
    appointmenttypeid: z.int().optional().describe('Id of the appointment type'),
    note: z.string().optional().describe('Note by the practice'),
    patientinstructions: z.string().optional().describe('Instructions for the patient'),
    staffinstructions: z.string().optional().describe('Instructions for staff'),
    deleted: z.string().optional().describe('When it was deleted, mm/dd/yyyy hh24:mi:ss in Eastern time'),
  })
  .meta({ id: 'AppointmentReminder' });

export const ReminderList = z
  .strictObject({
    totalcount: z.int().describe('Number of reminders in the whole list'),
    reminders: z.array(ReminderShape).describe('The reminders of this page, sorted by day'),
    ...pageLinkShapes,
  })
  .meta({ id: 'AppointmentReminderList' });

export const ReminderAdded = z
  .strictObject({ success: z.literal(true).describe('It is stored'), appointmentreminderid: z.int().describe('Reminder id') })
  .meta({ id: 'AppointmentReminderAdded' });

export const reminderParams = z.object({ reminderId: longId().describe('Reminder id') });

export const remindersQuery = z.object({
  departmentid: id().describe('Department'),
  startdate: usDay().describe(`First day, ${DAY}`),
  enddate: usDay().describe(`Last day, ${DAY}`),
  patientid: optional(id()).describe('Patient'),
  providerid: optional(id()).describe('Provider'),
  appointmenttypeid: optional(id()).describe('Appointment type'),
  showdeleted: option().describe('Include deleted reminders'),
  ...paging,
});

const words = () => optional(multilineText(RECALL_TEXT_LENGTH));

export const ReminderForm = z
  .object({
    approximatedate: usDay().describe(`Approximate day of the visit, ${DAY}`),
    departmentid: id().describe('Department'),
    patientid: id().describe('Patient'),
    providerid: optional(id()).describe('Provider'),
    appointmenttypeid: optional(id()).describe('Appointment type'),
    note: words().describe('Note by the practice'),
    patientinstructions: words().describe('Instructions for the patient'),
    staffinstructions: words().describe('Instructions for staff'),
  })
  .meta({ id: 'AppointmentReminderForm' });

const toDate = (day: string): Date => new Date(`${day}T00:00:00Z`);

export const toRecall = (form: z.output<typeof ReminderForm>): RecallInput => ({
  approximateDate: toDate(form.approximatedate),
  officeId: form.departmentid,
  patientId: form.patientid,
  providerId: form.providerid ?? null,
  typeId: form.appointmenttypeid ?? null,
  note: form.note ?? null,
  patientInstructions: form.patientinstructions ?? null,
  staffInstructions: form.staffinstructions ?? null,
});

/** @throws Failure invalid where the last day is before the first */
export function toRecallFilter(query: z.output<typeof remindersQuery>): RecallFilter {
  if (query.startdate > query.enddate) throw invalid('startdate', 'must not be after enddate', 'range_is_empty');
  return {
    officeId: query.departmentid,
    from: toDate(query.startdate),
    to: toDate(query.enddate),
    patientId: query.patientid ?? undefined,
    providerId: query.providerid ?? undefined,
    typeId: query.appointmenttypeid ?? undefined,
    withDeleted: query.showdeleted,
  };
}

export function fromRecall(recall: Recall): z.input<typeof ReminderShape> {
  const [year, month, day] = writeDay(recall.approximateDate).split('-');
  return {
    appointmentreminderid: Number(recall.id),
    approximatedate: `${month}/${day}/${year}`,
    patientid: recall.patientId,
    departmentid: recall.officeId,
    providerid: recall.providerId ?? undefined,
    appointmenttypeid: recall.typeId ?? undefined,
    note: recall.note ?? undefined,
    patientinstructions: recall.patientInstructions ?? undefined,
    staffinstructions: recall.staffInstructions ?? undefined,
    deleted: recall.deletedAt === null ? undefined : writeEasternTime(writeInstant(recall.deletedAt)),
  };
}
