import { Temporal } from 'temporal-polyfill';
import type { Db } from '../../../database/database.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { findPatient } from '../../patients/find-patient.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { IS_LISTED } from '../care-team.ts';
import type { CptCodeRule } from './cpt-code-rules.ts';
import { type CptCodeCount, countCptCodes, type MonthlyActivity, rulesInForce } from './cpt-codes.ts';
import { countMinutes, type TimeSpan } from './review-minutes.ts';

/** A calendar month in the time zone of the practice. */
export interface BillingPeriod {
  /** `2026-11` */
  month: string;
  timeZone: string;
  /** The same month as instants. */
  span: TimeSpan;
  /** `2026-11-01` */
  firstDay: string;
  /** First day of the next month. */
  endDay: string;
  rules: CptCodeRule[];
}

export interface LedgerRow extends MonthlyActivity, CptCodeCount {
  patient: { id: number; firstName: string | null; lastName: string | null };
  /** Number of reviews, whether they overlap or not. */
  reviews: number;
}

export interface Ledger extends Page<LedgerRow> {
  period: BillingPeriod;
}

export interface LedgerRequest {
  /** `2026-11`; the current month in the practice's time zone unless given. */
  month?: string | undefined;
  patientId?: number | undefined;
}

/** More rows than a practice has patients, for exports of a whole month. */
const WHOLE_MONTH: PageRequest = { page: 1, limit: 100_000 };
/** Longest review. A review of this month may have started this long before it. */
const MAX_REVIEW_MS = 8 * 3_600_000;

/**
 * The monitoring of each patient in a month, with the CPT codes that it supports. Lists patients with readings or reviews in
 * the month and patients who were enrolled in a program then, by id. Runs a fixed number of statements. Audited.
 * @throws Failure invalid for a malformed month; not_found for an unknown patient
 */
export async function readLedger(db: Db, caller: Caller, request: LedgerRequest, page: PageRequest = WHOLE_MONTH): Promise<Ledger> {
  if (request.patientId !== undefined) await findPatient(db, caller, request.patientId, 'patientId');
  const month = readBillingPeriod(await organizationZoneIn(db, caller), request.month);
  const patients = await listPatients(db, caller, month, request.patientId ?? null, page);
  const ids = patients.map(({ id }) => id);
  const [spans, days] = await Promise.all([findReviewSpans(db, caller, month, ids), countReadingDays(db, caller, month, ids)]);
  const items = patients.map(({ id, firstName, lastName }): LedgerRow => {
    const own = spans.get(id) ?? [];
    const care = { minutes: countMinutes(own, month.span), days: days.get(id) ?? 0, liveContact: own.some(({ live }) => live) };
    return { patient: { id, firstName, lastName }, reviews: own.length, ...care, ...countCptCodes(care, month.rules) };
  });
  if (ids.length > 0)
    recordReadWithPatients(caller, 'check_in_review', { ids: [...spans.values()].flat().map((one) => one.id), patientIds: ids }, 'search');
  return { ...page, items, total: patients[0]?.total ?? (await countPatients(db, caller, month, request, page)), period: month };
}

function readBillingPeriod(timeZone: string, written: string | undefined): BillingPeriod {
  const first = readMonth(written ?? Temporal.Now.zonedDateTimeISO(timeZone).toPlainDate().toPlainYearMonth().toString());
  const end = first.add({ months: 1 });
  const instant = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds;
  const firstDay = first.toString();
  const span = { from: instant(first), before: instant(end) };
  return { month: firstDay.slice(0, 7), timeZone, span, firstDay, endDay: end.toString(), rules: rulesInForce(firstDay) };
}

/** The first day of a month written `2026-11`. @throws Failure invalid */
export function readMonth(month: string): Temporal.PlainDate {
  const [, year, number] = /^((?:19|20|21)\d{2})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === undefined) throw invalid('month', 'must be a month such as 2026-11', 'invalid_month');
  return Temporal.PlainDate.from({ year: Number(year), month: Number(number), day: 1 });
}

interface ListedRow {
  id: number;
  firstName: string | null;
  lastName: string | null;
  total: number;
}

function listPatients(
  db: Db,
  { organizationId }: Caller,
  { span, firstDay, endDay }: BillingPeriod,
  patientId: number | null,
  { page, limit }: PageRequest,
): Promise<ListedRow[]> {
  const [from, before] = [new Date(span.from), new Date(span.before)];
  const earliest = new Date(span.from - MAX_REVIEW_MS);
  return db.$queryRaw<ListedRow[]>`
    WITH cared AS (
      SELECT patient_id FROM check_in_review WHERE organization_id = ${organizationId} AND deleted_at IS NULL
         AND started_at > ${earliest} AND started_at < ${before}
         AND started_at + make_interval(mins => minutes) > ${from}
      UNION SELECT patient_id FROM reading
       WHERE organization_id = ${organizationId} AND measured_on >= ${firstDay}::date AND measured_on < ${endDay}::date
      UNION SELECT patient_id FROM program_patient
       WHERE organization_id = ${organizationId} AND added_at < ${before} AND (removed_at IS NULL OR removed_at > ${from})
    ), listed AS (
      SELECT p.id, p.first_name AS "firstName", p.last_name AS "lastName"
        FROM patient p JOIN cared ON cared.patient_id = p.id
       WHERE p.organization_id = ${organizationId} AND (${patientId}::int IS NULL OR p.id = ${patientId}::int) AND ${IS_LISTED}
    )
    SELECT listed.*, count(*) OVER ()::int AS total FROM listed ORDER BY id LIMIT ${limit} OFFSET ${(page - 1) * limit}`;
}

/** Counts the patients for a page after the last one, which has no row with the total. */
async function countPatients(
  db: Db,
  caller: Caller,
  month: BillingPeriod,
  { patientId }: LedgerRequest,
  { page }: PageRequest,
): Promise<number> {
  if (page === 1) return 0;
  const [first] = await listPatients(db, caller, month, patientId ?? null, { page: 1, limit: 1 });
  return first?.total ?? 0;
}

interface ReviewSpan extends TimeSpan {
  id: number;
  live: boolean;
}

async function findReviewSpans(
  db: Db,
  { organizationId }: Caller,
  { span }: BillingPeriod,
  patientIds: number[],
): Promise<Map<number, ReviewSpan[]>> {
  const rows = await db.$queryRaw<{ id: number; patientId: number; startedAt: Date; minutes: number; live: boolean }[]>`
    SELECT id, patient_id AS "patientId", started_at AS "startedAt", minutes, live_contact AS live FROM check_in_review
     WHERE organization_id = ${organizationId} AND patient_id = ANY (${patientIds}::int[]) AND deleted_at IS NULL
       AND started_at > ${new Date(span.from - MAX_REVIEW_MS)} AND started_at < ${new Date(span.before)}
       AND started_at + make_interval(mins => minutes) > ${new Date(span.from)}
     ORDER BY id`;
  const spans = rows.map(({ id, patientId, startedAt, minutes, live }) => {
    const from = startedAt.getTime();
    return { id, patientId, from, before: from + minutes * 60_000, live };
  });
  return Map.groupBy(spans, ({ patientId }) => patientId);
}

async function countReadingDays(
  db: Db,
  { organizationId }: Caller,
  { firstDay, endDay }: BillingPeriod,
  patientIds: number[],
): Promise<Map<number, number>> {
  const rows = await db.$queryRaw<{ patientId: number; days: number }[]>`
    SELECT patient_id AS "patientId", count(DISTINCT measured_on)::int AS days FROM reading
     WHERE organization_id = ${organizationId} AND patient_id = ANY (${patientIds}::int[])
       AND measured_on >= ${firstDay}::date AND measured_on < ${endDay}::date
     GROUP BY patient_id`;
  return new Map(rows.map(({ patientId, days }) => [patientId, days]));
}
