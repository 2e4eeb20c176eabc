import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../database/database.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import { greetingName } from '../../values/person-names.ts';
import { type AnswerError, parseAnswers } from './check-in-answers.ts';
import { type SurveyQuestion, withItems } from './survey-types.ts';
import { type AnsweredQuestion, type Answers, readAnswers, readQuestions } from './surveys.ts';

/** Days for which an answered check-in shows the reviews of the practice. */
const SHOWN_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** A review that is displayed to the patient. */
export interface ReviewComment {
  message: string;
  by: string;
  at: Date;
}

/** The page of an answered check-in. */
export interface AnsweredCheckIn {
  state: 'answered';
  id: number;
  patientId: number;
  patientName: string | null;
  answeredAt: Date;
  answers: AnsweredQuestion[];
  comments: ReviewComment[];
}

interface PageReader {
  practice: LinkPractice;
  /** Code of the language of the chart; null where it names none. */
  patientLanguage: string | null;
}

/** Page that a check-in link shows. `over`: no answers are accepted any more, for example because the chart was closed. */
export type CheckInPage = PageReader &
  (
    | { state: 'open'; survey: string; patientName: string | null; questions: SurveyQuestion[] }
    | AnsweredCheckIn
    | { state: 'expired'; expiresAt: Date }
    | { state: 'over' }
  );

/** A check-in with the answers that were just stored, and what was asked. */
export interface StoredAnswers {
  id: number;
  patientId: number;
  answers: Answers;
  questions: SurveyQuestion[];
}

/** Answers that were submitted and cannot be stored, as far as they can be read. */
export interface UnkeptAnswers extends StoredAnswers {
  /** Numbers that are outside of what their question takes, by its key. */
  outside: Readonly<Record<string, number>>;
}

/** Result of submitted answers. */
export type AnswerResult =
  /** `stored` is null where the same answers were stored before. */
  | { outcome: 'saved'; stored: StoredAnswers | null }
  | { outcome: 'invalid'; errors: AnswerError[]; visit: CheckInPage & { state: 'open' }; unkept: UnkeptAnswers }
  /** Nothing was stored: the check-in has other answers already, has expired or is over. */
  | { outcome: 'closed'; visit: CheckInPage; unkept: UnkeptAnswers };

/**
 * Opens a check-in by its link. Audited as a read.
 * @returns null for an unknown link
 */
export async function openCheckIn(db: Db, caller: Caller, link: SecretLinkKey, now: Date): Promise<CheckInPage | null> {
  const checkIn = await findCheckInByLink(db, link);
  const visit = checkIn && (await checkInPageOf(db, caller, checkIn, now));
  if (!visit) return null;
  recordReadWithPatients(caller, 'check_in', { ids: [checkIn.id], patientIds: [checkIn.patientId] }, 'read');
  return visit;
}

/**
 * Stores the answers of a patient once; a concurrent second submission finds the first one.
 * @param sent form values by question key
 * @returns null for an unknown link
 */
export async function answerCheckIn(
  db: Db,
  caller: Caller,
  link: SecretLinkKey,
  sent: Readonly<Record<string, string>>,
  now: Date,
): Promise<AnswerResult | null> {
  const { organizationId, hash } = link;
  await db.$queryRaw`SELECT id FROM check_in WHERE organization_id = ${organizationId} AND link_hash = ${hash} FOR NO KEY UPDATE`;
  const checkIn = await findCheckInByLink(db, link);
  const visit = checkIn && (await checkInPageOf(db, caller, checkIn, now));
  if (!visit) return null;
  const { id, patientId } = checkIn;
  recordReadWithPatients(caller, 'check_in', { ids: [id], patientIds: [patientId] }, 'read');
  const questions = visit.state === 'open' ? visit.questions : await withItems(db, caller, readQuestions(checkIn.survey?.questions));
  const { answers, errors, outside } = parseAnswers(questions, sent);
  const unkept = { id, patientId, answers, questions, outside };
  if (visit.state !== 'open')
    return isDeepStrictEqual(answers, checkIn.answers) ? { outcome: 'saved', stored: null } : { outcome: 'closed', visit, unkept };
  if (errors.length > 0) return { outcome: 'invalid', errors, visit, unkept };
  await db.checkIn.update({
    where: { organizationId_id: { organizationId, id } },
    data: { answers, answeredAt: now },
    select: { id: true },
  });
  recordChange(caller, 'update', { name: 'check_in.answered', id, changed: ['answers'] }, [patientId]);
  return { outcome: 'saved', stored: { id, patientId, answers, questions } };
}

type LinkedCheckIn = NonNullable<Awaited<ReturnType<typeof findCheckInByLink>>>;

function findCheckInByLink(db: Db, { organizationId, hash: linkHash }: SecretLinkKey) {
  return db.checkIn.findUnique({
    where: { organizationId_linkHash: { organizationId, linkHash } },
    select: {
      organizationId: true,
      id: true,
      patientId: true,
      expiresAt: true,
      answeredAt: true,
      answers: true,
      patient: { select: { firstName: true, lastName: true, languageCode: true, status: true, deceasedDate: true } },
      survey: { select: { name: true, questions: true } },
    },
  });
}

/** Null where the practice was closed. */
async function checkInPageOf(db: Db, caller: Caller, checkIn: LinkedCheckIn, now: Date): Promise<CheckInPage | null> {
  const { patient, survey, expiresAt, answeredAt } = checkIn;
  const practice = await findLinkPractice(db, checkIn);
  if (!practice) return null;
  const reader: PageReader = { practice, patientLanguage: patient.languageCode };
  if (patient.status === 'deleted' || patient.deceasedDate !== null) return { ...reader, state: 'over' };
  const patientName = greetingName(patient);
  if (answeredAt !== null) {
    const shownUntil = new Date(answeredAt.getTime() + SHOWN_DAYS * DAY_MS);
    if (shownUntil <= now) return { ...reader, state: 'expired', expiresAt: shownUntil };
    const { id, patientId } = checkIn;
    const answers = readAnswers(survey?.questions, checkIn.answers);
    return {
      ...reader,
      state: 'answered',
      id,
      patientId,
      patientName,
      answeredAt,
      answers,
      comments: await findReviewComments(db, checkIn),
    };
  }
  if (expiresAt <= now) return { ...reader, state: 'expired', expiresAt };
  const questions = await withItems(db, caller, readQuestions(survey?.questions));
  return survey && questions.length > 0
    ? { ...reader, state: 'open', survey: survey.name, patientName, questions }
    : { ...reader, state: 'over' };
}

/** Reviews that may be displayed to the patient, oldest first. */
async function findReviewComments(db: Db, { organizationId, id: checkInId }: LinkedCheckIn): Promise<ReviewComment[]> {
  const reviews = await db.checkInReview.findMany({
    where: { organizationId, checkInId, display: true, deletedAt: null, message: { not: null } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { message: true, createdAt: true, user: { select: { firstName: true, lastName: true } } },
  });
  return reviews.flatMap(({ message, createdAt, user }) =>
    message === null || message.trim() === '' ? [] : { message, at: createdAt, by: `${user.firstName} ${user.lastName}`.trim() },
  );
}
