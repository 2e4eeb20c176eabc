import type { Db } from '../../../database/database.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { findPatient } from '../../patients/find-patient.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { IS_LISTED } from '../care-team.ts';
import { type BillingPeriod, readBillingPeriod } from './billing-period.ts';
import { MAX_REVIEW_MS } from './evidence-rows.ts';
import { countPatientMonths, type PatientMonth } from './patient-months.ts';

export interface LedgerRow extends PatientMonth {
  patient: { id: number; firstName: string | null; lastName: string | null };
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
/** Patients whose months are counted at once. */
const BATCH = 1_000;

/**
 * The monitoring of each patient in a month, with the CPT codes that it supports. Lists patients with readings or reviews in
 * the month and patients who were enrolled in a program then, by id. Runs a fixed number of statements for each 1,000 patients.
 * Audited.
 * @throws Failure invalid for a malformed month; not_found for an unknown patient
 */
export async function readLedger(db: Db, caller: Caller, request: LedgerRequest, page: PageRequest = WHOLE_MONTH): Promise<Ledger> {
  if (request.patientId !== undefined) await findPatient(db, caller, request.patientId, 'patientId');
  const period = await readBillingPeriod(db, caller, request.month);
  const patients = await listPatients(db, caller, period, request.patientId ?? null, page);
  const items: LedgerRow[] = [];
  for (let start = 0; start < patients.length; start += BATCH) {
    const batch = patients.slice(start, start + BATCH);
    const months = await countPatientMonths(
      db,
      caller,
      period,
      batch.map(({ id }) => id),
    );
    for (const { id, firstName, lastName } of batch) {
      const month = months.get(id);
      if (month) items.push({ patient: { id, firstName, lastName }, ...month });
    }
  }
  const ids = patients.map(({ id }) => id);
  if (ids.length > 0)
    recordReadWithPatients(caller, 'check_in_review', { ids: items.flatMap(({ reviewIds }) => reviewIds), patientIds: ids }, 'search');
  return { ...page, items, total: patients[0]?.total ?? (await countPatients(db, caller, period, request, page)), period };
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
  { span, readingsFrom, endDay }: BillingPeriod,
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
       WHERE organization_id = ${organizationId} AND measured_on >= ${readingsFrom}::date AND measured_on < ${endDay}::date
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
  period: BillingPeriod,
  { patientId }: LedgerRequest,
  { page }: PageRequest,
): Promise<number> {
  if (page === 1) return 0;
  const [first] = await listPatients(db, caller, period, patientId ?? null, { page: 1, limit: 1 });
  return first?.total ?? 0;
}
