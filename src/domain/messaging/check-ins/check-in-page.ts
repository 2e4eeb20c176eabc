import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../database/database.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import type { SecretLinkKey } from '../../security/secret-links.ts';
import { dayAt } from '../../values/time.ts';
import { type AnswerFault, takeAnswers } from './check-in-answers.ts';
import { type AskedQuestion, withItems } from './survey-types.ts';
import { type Answers, readQuestions } from './surveys.ts';

/** How long an answered check-in shows what the practice says to it. */
const SHOWN_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** What somebody of the practice says to the patient about the answers. */
export interface Remark {
  message: string;
  by: string;
  at: Date;
}

/** What a link shows. `over`: nobody waits for answers any more, the chart was closed, say. */
export type CheckInVisit = { practice: LinkPractice } & (
  | { state: 'open'; survey: string; firstName: string | null; questions: AskedQuestion[] }
  | { state: 'answered'; firstName: string | null; answeredAt: Date; remarks: Remark[] }
  | { state: 'expired'; expiresAt: Date }
  | { state: 'over' }
);

/** What came of answers that were sent. */
export type AnswerOutcome =
  | { outcome: 'kept' }
  | { outcome: 'faulty'; faults: AnswerFault[]; visit: CheckInVisit & { state: 'open' } }
  /** Nothing was kept: it was answered otherwise before, has expired or is over. */
  | { outcome: 'late'; visit: CheckInVisit };

/** What a link opens, audited as read; null for a link that opens nothing. */
export async function openCheckIn(db: Db, caller: Caller, link: SecretLinkKey, now: Date): Promise<CheckInVisit | null> {
  const checkIn = await findCheckIn(db, link);
  const visit = checkIn && (await visitOf(db, caller, checkIn, now));
  if (!visit) return null;
  recordReadWithPatients(caller, 'check_in', { ids: [checkIn.id], patientIds: [checkIn.patientId] }, 'read');
  return visit;
}

/**
 * Keeps the answers of a patient, once: of two that are sent at the same time the second finds the first. What was measured
 * becomes readings, of the day that it is in the practice.
 * @param sent what a form holds, by the keys of the questions
 * @returns null for a link that opens nothing
 */
export async function answerCheckIn(
  db: Db,
  caller: Caller,
  link: SecretLinkKey,
  sent: Readonly<Record<string, string>>,
  now: Date,
): Promise<AnswerOutcome | null> {
  const { organizationId, hash } = link;
  await db.$queryRaw`SELECT id FROM check_in WHERE organization_id = ${organizationId} AND link_hash = ${hash} FOR NO KEY UPDATE`;
  const checkIn = await findCheckIn(db, link);
  const visit = checkIn && (await visitOf(db, caller, checkIn, now));
  if (!visit) return null;
  const { id, patientId } = checkIn;
  recordReadWithPatients(caller, 'check_in', { ids: [id], patientIds: [patientId] }, 'read');
  if (visit.state !== 'open') return (await isSame(db, caller, checkIn, sent)) ? { outcome: 'kept' } : { outcome: 'late', visit };
  const { answers, faults } = takeAnswers(visit.questions, sent);
  if (faults.length > 0) return { outcome: 'faulty', faults, visit };
  await db.checkIn.update({
    where: { organizationId_id: { organizationId, id } },
    data: { answers, answeredAt: now },
    select: { id: true },
  });
  await keepReadings(db, checkIn, visit, answers, now);
  recordChange(caller, 'update', { name: 'check_in.answered', subject: 'check_in', id, changed: ['answers'] });
  return { outcome: 'kept' };
}

/** Whether these very answers are kept: somebody tapped twice. */
async function isSame(
  db: Db,
  caller: Caller,
  { survey, answers: kept }: FoundCheckIn,
  sent: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { answers } = takeAnswers(await withItems(db, caller, readQuestions(survey?.questions)), sent);
  return isDeepStrictEqual(answers, kept);
}

type FoundCheckIn = NonNullable<Awaited<ReturnType<typeof findCheckIn>>>;

function findCheckIn(db: Db, { organizationId, hash: linkHash }: SecretLinkKey) {
  return db.checkIn.findUnique({
    where: { organizationId_linkHash: { organizationId, linkHash } },
    select: {
      ...{ organizationId: true, id: true, patientId: true, expiresAt: true, answeredAt: true, answers: true },
      patient: { select: { firstName: true, status: true, deceasedDate: true } },
      survey: { select: { name: true, questions: true } },
    },
  });
}

/** Null where the practice was closed. */
async function visitOf(db: Db, caller: Caller, checkIn: FoundCheckIn, now: Date): Promise<CheckInVisit | null> {
  const { patient, survey, expiresAt, answeredAt } = checkIn;
  const practice = await findLinkPractice(db, checkIn);
  if (!practice) return null;
  if (patient.status === 'deleted' || patient.deceasedDate !== null) return { practice, state: 'over' };
  const { firstName } = patient;
  if (answeredAt !== null) {
    const shownUntil = new Date(answeredAt.getTime() + SHOWN_DAYS * DAY_MS);
    if (shownUntil <= now) return { practice, state: 'expired', expiresAt: shownUntil };
    return { practice, state: 'answered', firstName, answeredAt, remarks: await remarksOn(db, checkIn) };
  }
  if (expiresAt <= now) return { practice, state: 'expired', expiresAt };
  const questions = await withItems(db, caller, readQuestions(survey?.questions));
  return survey && questions.length > 0
    ? { practice, state: 'open', survey: survey.name, firstName, questions }
    : { practice, state: 'over' };
}

/** What reviewers let the patient see, the oldest first. */
async function remarksOn(db: Db, { organizationId, id: checkInId }: FoundCheckIn): Promise<Remark[]> {
  const reviews = await db.checkInReview.findMany({
    where: { organizationId, checkInId, display: true, deletedAt: null, message: { not: null } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { message: true, createdAt: true, user: { select: { firstName: true, lastName: true } } },
  });
  return reviews.flatMap(({ message, createdAt, user }) =>
    message === null || message.trim() === '' ? [] : { message, at: createdAt, by: `${user.firstName} ${user.lastName}`.trim() },
  );
}

async function keepReadings(
  db: Db,
  { organizationId, id: checkInId, patientId }: FoundCheckIn,
  { questions, practice }: CheckInVisit & { state: 'open' },
  answers: Answers,
  measuredAt: Date,
): Promise<void> {
  const measuredOn = dayAt(measuredAt, practice.timeZone);
  const data = questions.flatMap(({ question, item }) => {
    const value = answers[question.key];
    return item === null || typeof value !== 'number'
      ? []
      : { organizationId, checkInId, patientId, itemId: item.id, value, measuredAt, measuredOn };
  });
  if (data.length > 0) await db.reading.createMany({ data });
}
