import { type FiltersOf, filter, nullable, type SortOf, sortBy } from '../../../database/statements/list.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordListed } from '../../audit/journal-entries.ts';
import { DELIVERY_INCLUDE } from '../../messaging/check-ins/check-ins.ts';
import type { MeasuredItem } from '../../messaging/check-ins/measured-items.sql.ts';
import { withItems } from '../../messaging/check-ins/survey-types.ts';
import { type Answer, isUrgentAnswer, type Question, readAnswers } from '../../messaging/check-ins/surveys.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readRecords } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toGiven, type WrittenRange } from '../../values/time/date-range.ts';
import { BY_PATIENT_NAME, listOfPatients } from '../listed-page.sql.ts';
import { type AppliedTarget, judgeSeverity, readTargets } from '../targets.ts';

const WITH_DETAILS = {
  patient: { select: { id: true, firstName: true, lastName: true } },
  survey: { select: { id: true, name: true, questions: true } },
  ...DELIVERY_INCLUDE,
  reviews: { where: { deletedAt: null }, select: { id: true }, orderBy: { id: 'asc' } },
} as const satisfies Prisma.CheckInInclude;

type CheckInRow = Prisma.CheckInGetPayload<{ include: typeof WITH_DETAILS; omit: { linkHash: true } }>;

/** A question with its answer, and the target at the time of the answer. */
export interface MeasuredAnswer {
  question: Question;
  answer: Answer | null;
  item: MeasuredItem | null;
  target: AppliedTarget | null;
  /** Null without a number or without a target. */
  isOutOfTarget: boolean | null;
  /** Whether the survey marks the answer as urgent; null where nothing was answered. */
  isUrgent: boolean | null;
}

export interface ReportedCheckIn extends Omit<CheckInRow, 'answers'> {
  answers: MeasuredAnswer[];
  /** Whether one of the answers is out of target; null before the patient has answered. */
  isOutOfTarget: boolean | null;
}

/** `patientName` is last name, then first name. */
export const CHECK_INS = listOfPatients({
  table: 'check_in',
  filters: {
    /** Answered and not reviewed. */
    open: filter<true>([], () => 'r.answered_at IS NOT NULL AND NOT r.reviewed'),
    patientId: filter<number>('int', (id) => `r.patient_id = ${id}`),
    /** When it was sent. */
    from: filter<Date>('timestamptz', (from) => `r.sent_at >= ${from}`),
    before: filter<Date>('timestamptz', (before) => `r.sent_at < ${before}`),
  },
  orders: {
    sentAt: sortBy('r.sent_at', 'r.id'),
    answeredAt: sortBy(nullable('r.answered_at'), 'r.id'),
    patientName: BY_PATIENT_NAME,
    id: sortBy('r.id'),
  },
});
export type CheckInSort = SortOf<typeof CHECK_INS>;
type CheckInFilter = FiltersOf<typeof CHECK_INS>;

/** All check-ins of the organization. Audited with the patients who are shown. */
export function listCheckIns(tx: Tx, sort: CheckInSort, page: PageRequest): Promise<Page<ReportedCheckIn>> {
  return findPage(tx, {}, sort, page);
}

/** Answered check-ins of the organization that wait for a review, the latest answer first. Audited with the patients who are shown. */
export function listOpenCheckIns(tx: Tx, page: PageRequest): Promise<Page<ReportedCheckIn>> {
  return findPage(tx, { open: true }, { order: 'answeredAt', descending: true }, page);
}

/** Check-ins of one patient that were sent between two dates. Audited. @throws Failure not_found */
export async function listPatientCheckIns(
  tx: Tx,
  { patientId, dates, sort }: { patientId: number; dates: WrittenRange; sort: CheckInSort },
  page: PageRequest,
): Promise<Page<ReportedCheckIn>> {
  await findPatient(tx, patientId, 'patientId');
  const range = await readRange(dates, () => organizationZone(tx));
  return findPage(tx, { patientId, ...toGiven(range) }, sort, page);
}

async function findPage(tx: Tx, filter: CheckInFilter, sort: CheckInSort, page: PageRequest): Promise<Page<ReportedCheckIn>> {
  const wanted = { filter, sort, page };
  const listed = await readRecords(tx, CHECK_INS, wanted, (ids) =>
    tx.prisma.checkIn.findMany({ where: { ...tx.practice, id: { in: ids } }, include: WITH_DETAILS, omit: { linkHash: true } }),
  );
  recordListed(tx, 'check_in', listed.items);
  return { ...listed, items: await withTargets(tx, listed.items) };
}

async function withTargets(tx: Tx, rows: CheckInRow[]): Promise<ReportedCheckIn[]> {
  const answered = rows.map((row) => ({ row, answers: readAnswers(row.survey?.questions ?? [], row.answers) }));
  const questions = answered.flatMap(({ answers }) => answers.map(({ question }) => question));
  const itemOfQuestion = new Map((await withItems(tx, questions)).map(({ question, item }) => [question, item]));
  const measured = answered.flatMap(({ row, answers }) =>
    answers.flatMap(({ question }) => {
      const item = itemOfQuestion.get(question);
      return item ? { question, patientId: row.patientId, itemId: item.id, at: row.answeredAt ?? row.sentAt } : [];
    }),
  );
  const targets = await readTargets(tx, measured);
  const targetOfQuestion = new Map(measured.map(({ question }, index) => [question, targets[index] ?? null]));
  return answered.map(({ row, answers }) => {
    const measuredAnswers = answers.map(({ question, answer }): MeasuredAnswer => {
      const target = targetOfQuestion.get(question) ?? null;
      const isOutOfTarget = target === null || typeof answer !== 'number' ? null : judgeSeverity(target, answer) !== null;
      const isUrgent = answer === null ? null : isUrgentAnswer(question, answer);
      return { question, answer, item: itemOfQuestion.get(question) ?? null, target, isOutOfTarget, isUrgent };
    });
    return {
      ...row,
      answers: measuredAnswers,
      isOutOfTarget: row.answeredAt === null ? null : measuredAnswers.some(({ isOutOfTarget }) => isOutOfTarget === true),
    };
  });
}
