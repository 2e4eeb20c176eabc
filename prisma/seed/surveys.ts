import type { Faker } from '@faker-js/faker';
import type { Temporal } from 'temporal-polyfill';
import { LINK_DAYS } from '../../src/domain/messaging/check-ins/check-ins.ts';
import { type Question, readQuestions } from '../../src/domain/messaging/check-ins/surveys.ts';
import { recipientLanguage } from '../../src/domain/messaging/recipients/recipient-language.ts';
import { CATEGORIES } from '../../src/domain/messaging/templates/categories.ts';
import { dayAt, writeDay } from '../../src/domain/values/time/time.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { insertRows } from './bulk.ts';
import { day, later, todayIn, wallClock } from './dates.ts';
import { monitored, type People, type Person } from './people.ts';
import { closedLink, cycle } from './random.ts';
import { chooseChannel, HISTORY, SCHEDULES, seedSchedules } from './schedules.ts';
import { areaRandom, type Seeding } from './seeding.ts';
import { drawAnswers, usualWeight } from './survey-questions.ts';

const DAY = 24 * 60;

const shown = { id: true, patientId: true, answeredAt: true } satisfies Prisma.CheckInSelect;

/** A check-in as reviews need it. */
export type SentCheckIn = Prisma.CheckInGetPayload<{ select: typeof shown }>;

/** Schedules with recipients, and the check-ins that were sent: most answered, some not, some expired. */
export async function seedCheckIns(seeding: Seeding, people: People): Promise<SentCheckIn[]> {
  const { tx, practice, now, organizationId } = seeding;
  const random = areaRandom(seeding, 'check-ins');
  const types = await tx.surveyType.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const surveyTypeIds = types.map(({ id }) => id);
  const questions = types.map((type) => readQuestions(type.questions));
  const patients = monitored(people).filter(isReachable);
  // A third reports every day, a third every week, and a third gets a monthly survey about glucose.
  const recipients = SCHEDULES.map((_, schedule) => patients.filter((__, index) => index % SCHEDULES.length === schedule));
  const scheduleIds = await seedSchedules(seeding, surveyTypeIds, recipients);
  const today = todayIn(practice.timeZone, now);
  const scheduled = SCHEDULES.flatMap((schedule, index) => {
    const sending = {
      seeding,
      random,
      questions: cycle(questions, schedule.survey),
      surveyTypeId: cycle(surveyTypeIds, schedule.survey),
      scheduledCheckInId: cycle(scheduleIds, index),
    };
    return cycle(recipients, index).flatMap((patient) =>
      occurrences(today, schedule.every).map((date) =>
        checkIn(sending, patient, date, wallClock(date, schedule.hour * 60, practice.timeZone).instant),
      ),
    );
  });
  const byHand = { seeding, random, questions: cycle(questions, 2), surveyTypeId: cycle(surveyTypeIds, 2), scheduledCheckInId: null };
  const single = people.active
    .filter(isReachable)
    .slice(0, 12)
    .map((patient, index) => checkIn(byHand, patient, null, later(now, -(index + 1) * 1.5 * DAY)));
  await insertRows(tx, 'check_in', [...scheduled, ...single]);
  await seedReadings(seeding);
  return tx.checkIn.findMany({ where: { organizationId }, orderBy: { id: 'asc' }, select: shown });
}

/** Readings: every numeric answer to a question with an item. */
async function seedReadings({ tx, organizationId, practice }: Seeding): Promise<void> {
  const answered = await tx.checkIn.findMany({
    where: { organizationId, answeredAt: { not: null } },
    select: { id: true, answeredAt: true },
  });
  const days = answered.map(({ answeredAt }) => writeDay(dayAt(answeredAt ?? new Date(), practice.timeZone)));
  await tx.$executeRaw`
    INSERT INTO reading (organization_id, patient_id, check_in_id, item_id, value, measured_at, measured_on)
    SELECT ${organizationId}::int, c.patient_id, c.id, (q->>'itemId')::int, (c.answers->>(q->>'key'))::numeric, c.answered_at, d.day
      FROM check_in c
      JOIN unnest(${answered.map(({ id }) => id)}::bigint[], ${days}::date[]) AS d (id, day) ON d.id = c.id
      JOIN survey_type t ON t.organization_id = c.organization_id AND t.id = c.survey_type_id
     CROSS JOIN LATERAL jsonb_array_elements(t.questions) q
     WHERE c.organization_id = ${organizationId} AND q ? 'itemId' AND jsonb_typeof(c.answers->(q->>'key')) = 'number'
     ORDER BY c.answered_at, c.id, 4`;
}

/** The text of the practice in the patient's language, with a placeholder for the link. */
function messageTo({ practice }: Seeding, { firstName, languageCode }: Person): string {
  const { own } = recipientLanguage(languageCode, null);
  return CATEGORIES['check-in'].text[own].replace('{{first name}}', firstName ?? '').replace('{{org name}}', practice.name);
}

function isReachable({ mobilePhone, email, doNotSms }: Person): boolean {
  return Boolean((mobilePhone && !doNotSms) || email);
}

/** Days before today on which a schedule was due, oldest first. */
function occurrences(today: Temporal.PlainDate, every: number): Temporal.PlainDate[] {
  return Array.from({ length: Math.floor(HISTORY / every) }, (_, index) => today.subtract({ days: (index + 1) * every })).reverse();
}

interface Sending {
  seeding: Seeding;
  random: Faker;
  questions: readonly Question[];
  surveyTypeId: number;
  /** Null for one that a person sent. */
  scheduledCheckInId: number | null;
}

function checkIn(sending: Sending, patient: Person, date: Temporal.PlainDate | null, sentAt: Date): Prisma.CheckInCreateManyInput {
  const {
    seeding,
    seeding: { now, organizationId, staff },
    random,
    questions,
    surveyTypeId,
    scheduledCheckInId,
  } = sending;
  const answeredAt = later(sentAt, random.number.int({ min: 3, max: 600 }));
  const answered = random.datatype.boolean(0.8) && answeredAt <= now;
  const answers = drawAnswers(questions, random, usualWeight(patient.id));
  return {
    organizationId,
    patientId: patient.id,
    surveyTypeId,
    scheduledCheckInId,
    occurrenceOn: date && day(date.toString()),
    channel: chooseChannel(patient),
    message: messageTo(seeding, patient),
    linkHash: closedLink(),
    sentByUserId: scheduledCheckInId === null ? (staff[0]?.id ?? null) : null,
    sentAt,
    expiresAt: later(sentAt, LINK_DAYS * DAY),
    answeredAt: answered ? answeredAt : null,
    ...(answered && { answers }),
  };
}
