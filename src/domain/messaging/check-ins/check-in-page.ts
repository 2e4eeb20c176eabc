import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../../database/database.ts';
import { statement } from '../../../database/statements/statement.ts';
import { recordChange, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import { greetingName } from '../../values/person-names.ts';
import { type AnswerError, parseAnswers } from './check-in-answers.ts';
import type { MeasuredItem } from './measured-items.sql.ts';
import { type SurveyQuestion, withItem } from './survey-types.ts';
import { readVariants, type SurveyWording } from './survey-wordings.ts';
import { type AnsweredQuestion, type Answers, readAnswers, readQuestions } from './surveys.ts';

interface LinkedCheckIn {
  id: number;
  patientId: number;
  expiresAt: Date;
  answeredAt: Date | null;
  answers: unknown;
  firstName: string | null;
  lastName: string | null;
  languageCode: string | null;
  /** The chart was deleted, or the patient died. */
  isGone: boolean;
  /** It has the alert that it was missed, and nobody has closed it. */
  isMissed: boolean;
  survey: string | null;
  surveyLanguage: string | null;
  /** As stored, like the variants. */
  questions: unknown;
  variants: unknown;
  /** Those that the questions measure. */
  items: MeasuredItem[];
}

/** Values: organization, hash of the link. */
const LINKED_CHECK_IN = statement<LinkedCheckIn>(
  'linked_check_in',
  `SELECT c.id, c.patient_id AS "patientId", c.expires_at AS "expiresAt", c.answered_at AS "answeredAt", c.answers,
          p.first_name AS "firstName", p.last_name AS "lastName", p.language_code AS "languageCode",
          p.status = 'deleted' OR p.deceased_date IS NOT NULL AS "isGone",
          EXISTS (SELECT FROM monitoring_alert n WHERE n.organization_id = $1 AND n.check_in_id = c.id
                     AND n.kind = 'missed_check_in' AND n.state <> 'closed') AS "isMissed", s.name AS survey, s.language AS "surveyLanguage",
          s.questions, s.variants,
          (SELECT coalesce(json_agg(json_build_object('id', i.id, 'name', i.name, 'unit', i.unit, 'plausibleMin', i.plausible_min,
                                                    'plausibleMax', i.plausible_max)), '[]') FROM item i
            WHERE i.organization_id = $1 AND s.questions @> jsonb_build_array(jsonb_build_object('itemId', i.id))) AS items
     FROM check_in c
     JOIN patient p ON p.organization_id = c.organization_id AND p.id = c.patient_id
     LEFT JOIN survey_type s ON s.organization_id = c.organization_id AND s.id = c.survey_type_id
    WHERE c.organization_id = $1 AND c.link_hash = $2`,
);

/** Values: organization, hash of the link. */
const LOCK_CHECK_IN = statement<never>(
  'lock_check_in',
  'SELECT id FROM check_in WHERE organization_id = $1 AND link_hash = $2 FOR NO KEY UPDATE',
);

/** Values: organization, id, answers as JSON, time. */
const STORE_ANSWERS = statement<never>(
  'store_answers',
  'UPDATE check_in SET answers = $3::jsonb, answered_at = $4::timestamptz WHERE organization_id = $1 AND id = $2',
);

/** Days for which an answered check-in shows the reviews of the practice. */
const SHOWN_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/** A review that is displayed to the patient. */
export interface ReviewComment {
  message: string;
  by: string;
  at: Date;
}

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
  wording: SurveyWording;
}

/** Page that a check-in link shows. `over`: no answers are accepted any more, for example because the chart was closed. */
export type CheckInPage = PageReader & CheckInState;

type CheckInState =
  | { state: 'open'; patientName: string | null; questions: SurveyQuestion[] }
  | AnsweredCheckIn
  | { state: 'expired'; expiresAt: Date }
  | { state: 'over' };

/** A check-in with the answers that were just stored, and what was asked. */
export interface StoredAnswers {
  id: number;
  patientId: number;
  answers: Answers;
  questions: SurveyQuestion[];
  /** Of the practice. */
  timeZone: string;
  /** It has the alert that it was missed, and nobody has closed it. */
  isMissed: boolean;
}

/** Answers that were submitted and cannot be stored, as far as they can be read. */
export interface UnkeptAnswers extends StoredAnswers {
  /** Numbers that are outside of what their question takes, by its key. */
  outside: Readonly<Record<string, number>>;
}

export type AnswerResult =
  /** `stored` is null where the same answers were stored before. */
  | { outcome: 'saved'; stored: StoredAnswers | null }
  | { outcome: 'invalid'; errors: AnswerError[]; visit: CheckInPage & { state: 'open' }; unkept: UnkeptAnswers }
  /** Nothing was stored: the check-in has other answers already, has expired or is over. */
  | { outcome: 'closed'; visit: CheckInPage; unkept: UnkeptAnswers };

/** Opens a check-in by its link. Audited as a read. @returns null for an unknown link */
export async function openCheckIn(tx: Tx, link: SecretLinkKey, now: Date): Promise<CheckInPage | null> {
  return (await readCheckIn(tx, link, now))?.visit ?? null;
}

/**
 * Stores the answers of a patient once; a concurrent second submission finds the first one.
 * @param sent form values by question key
 * @returns null for an unknown link
 */
export async function answerCheckIn(
  tx: Tx,
  link: SecretLinkKey,
  sent: Readonly<Record<string, string>>,
  now: Date,
): Promise<AnswerResult | null> {
  const [, found] = await Promise.all([
    tx.rows(LOCK_CHECK_IN, [link.hash]),
    readCheckIn(tx, link, now), // sees what it waited for
  ]);
  if (!found) return null;
  const { checkIn, questions, visit } = found;
  const { id, patientId } = checkIn;
  const { answers, errors, outside } = parseAnswers(questions, sent);
  const stored = { id, patientId, answers, questions, timeZone: visit.practice.timeZone, isMissed: checkIn.isMissed };
  const unkept = { ...stored, outside };
  if (visit.state !== 'open')
    return isDeepStrictEqual(answers, checkIn.answers) ? { outcome: 'saved', stored: null } : { outcome: 'closed', visit, unkept };
  if (errors.length > 0) return { outcome: 'invalid', errors, visit, unkept };
  tx.later(STORE_ANSWERS, [id, JSON.stringify(answers), now]);
  recordChange(tx, 'update', { name: 'check_in.answered', id, changed: ['answers'] }, [patientId]);
  return { outcome: 'saved', stored };
}

interface FoundCheckIn {
  checkIn: LinkedCheckIn;
  questions: SurveyQuestion[];
  visit: CheckInPage;
}

/** The check-in of a link with its page; null for an unknown link, and where the practice was closed. Audited as a read. */
async function readCheckIn(tx: Tx, { hash }: SecretLinkKey, now: Date): Promise<FoundCheckIn | null> {
  const [[checkIn], practice] = await Promise.all([tx.rows(LINKED_CHECK_IN, [hash]), findLinkPractice(tx)]);
  if (!checkIn || !practice) return null;
  const { id, patientId, items, languageCode, survey, surveyLanguage } = checkIn;
  const questions = readQuestions(checkIn.questions).map((question) => withItem(question, items));
  const comments = checkIn.answeredAt === null ? [] : await findReviewComments(tx.prisma, { ...tx.practice, id });
  recordReadWithPatients(tx, 'check_in', { ids: [id], patientIds: [patientId] }, 'read');
  const wording = { name: survey ?? '', language: surveyLanguage ?? practice.language ?? 'en', variants: readVariants(checkIn.variants) };
  const state = toState(checkIn, questions, comments, now);
  return { checkIn, questions, visit: { practice, patientLanguage: languageCode, wording, ...state } };
}

function toState(checkIn: LinkedCheckIn, questions: SurveyQuestion[], comments: ReviewComment[], now: Date): CheckInState {
  const { id, patientId, survey, expiresAt, answeredAt } = checkIn;
  if (checkIn.isGone) return { state: 'over' };
  const patientName = greetingName(checkIn);
  if (answeredAt !== null) {
    const shownUntil = new Date(answeredAt.getTime() + SHOWN_DAYS * DAY_MS);
    if (shownUntil <= now) return { state: 'expired', expiresAt: shownUntil };
    const answers = readAnswers(checkIn.questions, checkIn.answers);
    return { state: 'answered', id, patientId, patientName, answeredAt, answers, comments };
  }
  if (expiresAt <= now) return { state: 'expired', expiresAt };
  return survey !== null && questions.length > 0 ? { state: 'open', patientName, questions } : { state: 'over' };
}

/** Reviews that may be displayed to the patient, oldest first. */
async function findReviewComments(
  db: Db,
  { organizationId, id: checkInId }: { organizationId: number; id: number },
): Promise<ReviewComment[]> {
  const reviews = await db.checkInReview.findMany({
    where: { organizationId, checkInId, display: true, deletedAt: null, message: { not: null } },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { message: true, createdAt: true, user: { select: { firstName: true, lastName: true } } },
  });
  return reviews.flatMap(({ message, createdAt, user }) =>
    message === null || message.trim() === '' ? [] : { message, at: createdAt, by: `${user.firstName} ${user.lastName}`.trim() },
  );
}
