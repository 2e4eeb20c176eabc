import { type MonitoringConsent, Prisma } from '../../../../generated/prisma/client.ts';
import type { ItemKind } from '../../../messaging/check-ins/usual-items.ts';
import type { Tx } from '../../../tx.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import type { EpisodeEvidence, ReadingEvidence, ReadingSource, ReviewEvidence } from '../rules/evidence-types.ts';

/** The facts of readings `r` of items `i`. */
const FACTS = Prisma.sql`i.kind::text AS kind, r.implausible, r.error_at IS NOT NULL AS "inError"`;

/** Longest review. A review of a month may have started this long before it. */
export const MAX_REVIEW_MS = 8 * 3_600_000;

type OfPatient<T> = T & { patientId: number };
type Unjudged<T> = OfPatient<Omit<T, 'counts' | 'why'>>;

export type ReviewRow = Omit<Unjudged<ReviewEvidence>, 'holds'>;
export type ReadingRow = Unjudged<ReadingEvidence> & ReadingFacts;

/** Facts that decide whether readings count, beside their day and source. */
export interface ReadingFacts {
  kind: ItemKind;
  implausible: boolean;
  inError: boolean;
}

/** Readings of one patient that are judged alike. */
export interface ReadingCount extends ReadingFacts {
  patientId: number;
  measuredOn: string;
  source: ReadingSource;
  count: number;
}

export interface ConsentRow extends Pick<MonitoringConsent, 'id' | 'patientId' | 'givenAt' | 'revoked' | 'how' | 'note' | 'recordedAt'> {
  by: string;
  recordedById: number | null;
}

/** The whole history of consent of each patient, by time. */
export function findConsentRows(tx: Tx, patientIds: number[]): Promise<ConsentRow[]> {
  return tx.prisma.$queryRaw<ConsentRow[]>`
    SELECT id, patient_id AS "patientId", given_at AS "givenAt", revoked, how, given_by AS by, note,
           recorded_at AS "recordedAt", recorded_by_user_id AS "recordedById"
      FROM monitoring_consent
     WHERE organization_id = ${tx.organizationId} AND patient_id = ANY (${patientIds}::int[])
     ORDER BY given_at, id`;
}

/** All enrolments that began before the end of the month, also former ones. */
export function findEpisodeRows(tx: Tx, { span }: BillingPeriod, patientIds: number[]): Promise<OfPatient<EpisodeEvidence>[]> {
  return tx.prisma.$queryRaw<OfPatient<EpisodeEvidence>[]>`
    SELECT e.id AS "enrolmentId", e.patient_id AS "patientId", e.program_id AS "programId", g.service::text AS service,
           e.added_at AS "from", e.removed_at AS "to"
      FROM program_patient e JOIN program g ON g.organization_id = e.organization_id AND g.id = e.program_id
     WHERE e.organization_id = ${tx.organizationId} AND e.patient_id = ANY (${patientIds}::int[]) AND e.added_at < ${new Date(span.before)}
     ORDER BY e.added_at, e.id`;
}

/** Every reading that may count in the month, by time. */
export function findReadingRows(tx: Tx, { readingsFrom, endDay }: BillingPeriod, patientIds: number[]): Promise<ReadingRow[]> {
  return tx.prisma.$queryRaw<ReadingRow[]>`
    SELECT r.id, r.patient_id AS "patientId", r.item_id AS "itemId", i.name AS "itemName", i.unit, r.value::float8 AS value,
           r.measured_at AS "measuredAt", r.measured_on::text AS "measuredOn", r.source, d.identifier AS device,
           r.received_at AS "receivedAt", r.recorded_by_user_id AS "recordedById", ${FACTS}
      FROM reading r JOIN item i ON i.organization_id = r.organization_id AND i.id = r.item_id
      LEFT JOIN monitoring_device d ON d.organization_id = r.organization_id AND d.id = r.device_id
     WHERE r.organization_id = ${tx.organizationId} AND r.patient_id = ANY (${patientIds}::int[])
       AND r.measured_on >= ${readingsFrom}::date AND r.measured_on < ${endDay}::date
     ORDER BY r.measured_at, r.id`;
}

/** The same readings, counted by what they are judged by. */
export function countReadings(tx: Tx, { readingsFrom, endDay }: BillingPeriod, patientIds: number[]): Promise<ReadingCount[]> {
  return tx.prisma.$queryRaw<ReadingCount[]>`
    SELECT r.patient_id AS "patientId", r.measured_on::text AS "measuredOn", r.source, ${FACTS}, count(*)::int AS count
      FROM reading r JOIN item i ON i.organization_id = r.organization_id AND i.id = r.item_id
     WHERE r.organization_id = ${tx.organizationId} AND r.patient_id = ANY (${patientIds}::int[])
       AND r.measured_on >= ${readingsFrom}::date AND r.measured_on < ${endDay}::date
     GROUP BY r.patient_id, r.measured_on, r.source, i.kind, r.implausible, r.error_at IS NOT NULL`;
}

/** The reviews with minutes in the month, by time. */
export function findReviewRows(tx: Tx, { span }: BillingPeriod, patientIds: number[]): Promise<ReviewRow[]> {
  return tx.prisma.$queryRaw<ReviewRow[]>`
    SELECT id, patient_id AS "patientId", check_in_id AS "checkInId", user_id AS "userId", started_at AS "startedAt", minutes,
           live_contact AS live, late_reason AS "lateReason"
      FROM check_in_review
     WHERE organization_id = ${tx.organizationId} AND patient_id = ANY (${patientIds}::int[]) AND deleted_at IS NULL
       AND started_at > ${new Date(span.from - MAX_REVIEW_MS)} AND started_at < ${new Date(span.before)}
       AND started_at + make_interval(mins => minutes) > ${new Date(span.from)}
     ORDER BY started_at, id`;
}
