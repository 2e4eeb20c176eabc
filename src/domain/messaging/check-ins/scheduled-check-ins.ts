import type { MessageState, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound, WrongFields } from '../../errors.ts';
import { unrestrictedFor } from '../../patients/restrictions/restricted-charts.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { dayAt } from '../../values/time/time.ts';
import { type Channel, defaultChannel, findRecipients, requireAddress } from './check-ins.ts';
import { nextOccurrence, type Period } from './schedule-times.ts';
import { NEXT_CHANNELS } from './scheduled-recipients.sql.ts';
import { requireActiveSurveyTypes } from './survey-types.ts';

export interface ScheduleInput {
  name: string;
  period: Period;
  /** `HH:MM` in the practice's zone. */
  time: string;
  surveyTypeIds: readonly number[];
  /** Null for all remotely monitored patients at each occurrence. */
  recipients: readonly { patientId: number; channel?: Channel | undefined }[] | null;
  /** First day, a Date at midnight UTC; the day of the next occurrence unless given. */
  startsOn?: Date | undefined;
  /** Last day. */
  endsOn: Date | null;
  /** Number of runs after which it ends. */
  maxRuns: number | null;
  /** 1 for Monday to 7; empty for all days of the period. */
  weekdays: readonly number[];
}

const SURVEYS = {
  select: { survey: { select: { id: true, name: true, active: true } } },
  orderBy: { surveyTypeId: 'asc' },
} as const satisfies Prisma.ScheduledCheckIn$surveysArgs;
const RECIPIENTS = {
  select: { patient: { select: { id: true, firstName: true, lastName: true } } },
  orderBy: { patientId: 'asc' },
} as const satisfies Prisma.ScheduledCheckIn$recipientsArgs;

/** Of a schedule, neither restricted patients nor their check-ins are shown or counted. */
const includeFor = (caller: Caller) => {
  const where = { organizationId: caller.organizationId, ...unrestrictedFor(caller) };
  return {
    surveys: SURVEYS,
    _count: { select: { recipients: { where } } },
  } as const satisfies Prisma.ScheduledCheckInInclude;
};
const includeWithRecipients = (caller: Caller) =>
  ({
    ...includeFor(caller),
    recipients: { ...RECIPIENTS, where: unrestrictedFor(caller) },
  }) as const satisfies Prisma.ScheduledCheckInInclude;

interface ScheduleDetails {
  /** Zone of the practice, which the schedule's time refers to. */
  timeZone: string;
  /** Numbers of check-ins: what was answered, what went, and what could not. One that waits is neither of the last two. */
  counts: Record<Counted, number>;
  /** The schedule names its recipients, who may all be restricted patients; else it is for all monitored ones. */
  isForNamed: boolean;
}

export type ListedSchedule = Prisma.ScheduledCheckInGetPayload<{ include: ReturnType<typeof includeFor> }> & ScheduleDetails;
/** With the channel by which the next run would go to each named recipient. */
export type ScheduleView = Prisma.ScheduledCheckInGetPayload<{ include: ReturnType<typeof includeWithRecipients> }> &
  ScheduleDetails & { channels: ReadonlyMap<number, Channel> };

/**
 * Creates a schedule of check-ins; jobs send them.
 * @throws Failure not_found for a survey type or patient that the practice does not have, unprocessable for a survey
 *   type that was ended or a patient without the number or address that is needed; invalid for a last day before the first run
 */
export async function scheduleCheckIns(tx: Tx, order: ScheduleInput, now: Date): Promise<ScheduleView> {
  const { name, period, time, surveyTypeIds, endsOn, maxRuns } = order;
  const weekdays = [...order.weekdays];
  const wrong = new WrongFields();
  await wrong.check(() => requireActiveSurveyTypes(tx, surveyTypeIds, 'surveys'));
  const recipients = (await wrong.check(() => requireRecipients(tx, order))) ?? [];
  wrong.throwIfAny();
  const timeZone = await organizationZone(tx);
  const every = { time, weekdays, endsOn };
  const first = nextOccurrence({ ...every, period: 'daily', startsOn: order.startsOn ?? dayAt(now, timeZone) }, timeZone, now);
  const startsOn = order.startsOn ?? first?.on;
  const next = startsOn && nextOccurrence({ ...every, period, startsOn }, timeZone, now);
  if (!startsOn || !next) throw invalid('endsOn', 'leaves no day to run on', 'no_run');
  const schedule = await tx.prisma.scheduledCheckIn.create({
    data: {
      ...tx.practice,
      name,
      schedulePeriod: period,
      scheduleTime: time,
      startsOn,
      endsOn,
      maxRuns,
      weekdays,
      createdByUserId: tx.userId,
      nextRunAt: next.at,
    },
    select: { id: true },
  });
  const of = { ...tx.practice, scheduledCheckInId: schedule.id };
  await tx.prisma.scheduledCheckInSurvey.createMany({ data: surveyTypeIds.map((surveyTypeId) => ({ ...of, surveyTypeId })) });
  await tx.prisma.scheduledCheckInRecipient.createMany({ data: recipients.map((recipient) => ({ ...of, ...recipient })) });
  const patientIds = recipients.map(({ patientId }) => patientId);
  recordChange(tx, 'create', { name: 'scheduled_check_in.created', id: schedule.id }, patientIds);
  return readSchedule(tx, schedule.id);
}

async function requireRecipients(tx: Tx, { recipients }: ScheduleInput): Promise<{ patientId: number; channel: Channel | null }[]> {
  if (recipients === null) return [];
  const found = await findRecipients(
    tx,
    recipients.map(({ patientId }) => patientId),
  );
  const patients = new Map(found.map((patient) => [patient.id, patient]));
  const wrong = new WrongFields();
  for (const [index, { patientId }] of recipients.entries())
    if (!patients.has(patientId)) wrong.add(notFound('patient', `recipients.${index}.recipientId`));
  wrong.throwIfAny();
  return recipients.map(({ patientId, channel }, index) => {
    const patient = patients.get(patientId);
    if (!patient) throw notFound('patient', `recipients.${index}.recipientId`);
    requireAddress(patient, { channel: channel ?? defaultChannel(patient) });
    return { patientId, channel: channel ?? null };
  });
}

/** Audited as a read of the recipients. @throws Failure not_found */
export async function readSchedule(tx: Tx, id: number): Promise<ScheduleView> {
  const schedule = await tx.prisma.scheduledCheckIn.findUnique({
    where: tx.key(id),
    include: includeWithRecipients(tx),
  });
  if (!schedule) throw notFound('scheduled check-in');
  const shown = schedule.recipients.map(({ patient }) => patient.id);
  if (shown.length > 0) recordRead(tx, 'patient', shown);
  const counts = await countCheckIns(tx, [id]);
  const isForNamed = (await findNamed(tx, [id])).has(id);
  const next = await tx.rows(NEXT_CHANNELS, [id]);
  const channels = new Map(next.map(({ patientId, channel }) => [patientId, channel]));
  return { ...schedule, channels, counts: counts(id), isForNamed, timeZone: await organizationZone(tx) };
}

/** Lists schedules by id. @param active undefined for active and ended ones */
export async function listSchedules(tx: Tx, active: boolean | undefined, page: PageRequest): Promise<Page<ListedSchedule>> {
  const where = { ...tx.practice, ...(active === undefined ? {} : { active }) };
  const [rows, total, timeZone] = await Promise.all([
    tx.prisma.scheduledCheckIn.findMany({ where, include: includeFor(tx), orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.scheduledCheckIn.count({ where }),
    organizationZone(tx),
  ]);
  const ids = rows.map(({ id }) => id);
  const [counts, named] = await Promise.all([countCheckIns(tx, ids), findNamed(tx, ids)]);
  const items = rows.map((row) => ({ ...row, timeZone, counts: counts(row.id), isForNamed: named.has(row.id) }));
  return { ...page, total, items };
}

/**
 * Ends a schedule: nothing more is sent, but check-ins already sent can still be answered. Ending it again changes
 * nothing.
 * @throws Failure not_found
 */
export async function endSchedule(tx: Tx, id: number): Promise<void> {
  const where = { ...tx.practice, id };
  const { count } = await tx.prisma.scheduledCheckIn.updateMany({
    where: { ...where, active: true },
    data: { active: false, nextRunAt: null },
  });
  if (count > 0) {
    const recipients = await tx.prisma.scheduledCheckInRecipient.findMany({
      where: { ...tx.practice, scheduledCheckInId: id },
      select: { patientId: true },
    });
    const patientIds = recipients.map(({ patientId }) => patientId);
    recordChange(tx, 'delete', { name: 'scheduled_check_in.ended', id }, patientIds);
    return;
  }
  if ((await tx.prisma.scheduledCheckIn.count({ where })) === 0) throw notFound('scheduled check-in');
}

/** Those of the schedules that name their recipients. */
async function findNamed(tx: Tx, ids: number[]): Promise<ReadonlySet<number>> {
  const named = await tx.prisma.scheduledCheckInRecipient.groupBy({
    by: ['scheduledCheckInId'],
    where: { ...tx.practice, scheduledCheckInId: { in: ids } },
  });
  return new Set(named.map(({ scheduledCheckInId }) => scheduledCheckInId));
}

type Counted = 'answered' | 'sent' | 'notSent';

/** Numbers of check-ins of each schedule. A message that is no longer stored went. */
async function countCheckIns(tx: Tx, ids: number[]): Promise<(id: number) => Record<Counted, number>> {
  const carriedBy = (...states: MessageState[]): Prisma.CheckInWhereInput[] => [
    { text: { ...tx.practice, state: { in: states } } },
    { mail: { ...tx.practice, state: { in: states } } },
  ];
  const count = async (where: Prisma.CheckInWhereInput) => {
    const of = { ...tx.practice, scheduledCheckInId: { in: ids }, ...unrestrictedFor(tx) };
    const rows = await tx.prisma.checkIn.groupBy({ by: ['scheduledCheckInId'], where: { ...of, ...where }, _count: true });
    return new Map(rows.map(({ scheduledCheckInId, _count }) => [scheduledCheckInId, _count]));
  };
  const [answered, sent, notSent] = await Promise.all([
    count({ answeredAt: { not: null } }),
    count({ OR: [...carriedBy('sent', 'delivered'), { smsMessageId: null, mailMessageId: null }] }),
    count({ OR: carriedBy('suppressed', 'failed') }),
  ]);
  return (id) => ({ answered: answered.get(id) ?? 0, sent: sent.get(id) ?? 0, notSent: notSent.get(id) ?? 0 });
}
