import { nextOccurrence } from '../../src/domain/messaging/check-ins/schedule-times.ts';
import { day, todayIn } from './dates.ts';
import type { Person } from './people.ts';
import { cycle, inOrder } from './random.ts';
import type { Seeding } from './seeding.ts';

/** Days of past check-ins: more than the thirty of a billing period. */
export const HISTORY = 40;

/** The schedules: which survey, when on the practice's wall clock, and every how many days it was sent so far. */
export const SCHEDULES = [
  { name: 'Daily readings', survey: 0, hour: 9, schedulePeriod: 'daily', every: 1, active: true },
  { name: 'Weekly well-being', survey: 2, hour: 10, schedulePeriod: 'weekly', every: 7, active: true },
  { name: 'Monthly glucose', survey: 1, hour: 8, schedulePeriod: 'monthly', every: 30, active: false },
] as const;

/** By text where that is possible and wanted, else by mail. */
export function chooseChannel({ mobilePhone, doNotSms }: Person): string {
  return mobilePhone && !doNotSms ? 'sms' : 'email';
}

/** @param recipients of each schedule, in the order of the schedules, which is that of the ids answered */
export async function seedSchedules(seeding: Seeding, surveyTypeIds: number[], recipients: Person[][]): Promise<number[]> {
  const { tx, organizationId, admin } = seeding;
  const rows = await tx.scheduledCheckIn.createManyAndReturn({
    data: SCHEDULES.map((schedule) => ({
      organizationId,
      name: schedule.name,
      schedulePeriod: schedule.schedulePeriod,
      scheduleTime: writeTime(schedule),
      active: schedule.active,
      createdByUserId: admin.id,
      ...runs(seeding, schedule),
    })),
    select: { id: true },
  });
  const ids = inOrder(rows).map(({ id }) => id);
  const surveys = ids.map((scheduledCheckInId, index) => ({
    organizationId,
    scheduledCheckInId,
    surveyTypeId: cycle(surveyTypeIds, cycle(SCHEDULES, index).survey),
  }));
  const people = ids.flatMap((scheduledCheckInId, index) =>
    cycle(recipients, index).map((patient) => ({
      organizationId,
      scheduledCheckInId,
      patientId: patient.id,
      channel: chooseChannel(patient),
    })),
  );
  await tx.scheduledCheckInSurvey.createMany({ data: surveys });
  await tx.scheduledCheckInRecipient.createMany({ data: people });
  return ids;
}

/** Since when a schedule runs, and when it runs next: today if its hour has not struck in the practice. */
function runs({ now, practice }: Seeding, schedule: (typeof SCHEDULES)[number]): { startsOn: Date; nextRunAt: Date | null } {
  const { every, active, schedulePeriod: period } = schedule;
  const { timeZone } = practice;
  const startsOn = day(
    todayIn(timeZone, now)
      .subtract({ days: HISTORY - (HISTORY % every) })
      .toString(),
  );
  const recurrence = { period, time: writeTime(schedule), startsOn, weekdays: [], endsOn: null };
  return { startsOn, nextRunAt: active ? (nextOccurrence(recurrence, timeZone, now)?.at ?? null) : null };
}

const writeTime = ({ hour }: (typeof SCHEDULES)[number]): string => `${String(hour).padStart(2, '0')}:00`;
