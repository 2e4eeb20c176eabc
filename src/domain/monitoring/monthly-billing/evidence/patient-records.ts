import type { Tx } from '../../../tx.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import type { ConsentEvidence, EpisodeEvidence, MonitoringService } from '../rules/evidence-types.ts';
import { findHolds, type ReviewHold, type UnitRelease } from '../rules/holds.ts';
import { type ClosedSetUp, findClosedSetUps } from './closed-set-ups.ts';
import { pairConsents } from './consent-days.ts';
import { findConsentRows, findEpisodeRows, findReviewRows, type ReadingCount, type ReviewRow } from './evidence-rows.ts';
import { findVisitRows, type VisitRow } from './visit-rows.ts';

/** The stored records of a patient's month, before they are judged. */
export interface PatientRecords<R extends ReadingCount> {
  patientId: number;
  /** Day of the patient's death, `2026-11-01`. */
  deceasedOn: string | null;
  consents: ConsentEvidence[];
  /** All enrolments until the end of the month, by time. */
  episodes: EpisodeEvidence[];
  readings: R[];
  reviews: ReviewRow[];
  visits: VisitRow[];
  holds: ReviewHold[];
  /** Set-ups that other months bill, by month. */
  closedSetUps: ClosedSetUp[];
  /** The newest release of units in the month. */
  unitRelease: UnitRelease | null;
}

export type ReadReadings<R extends ReadingCount> = (tx: Tx, period: BillingPeriod, patientIds: number[]) => Promise<R[]>;

/** The records of patients, in their order. Runs a fixed number of statements. */
export async function findPatientRecords<R extends ReadingCount>(
  tx: Tx,
  period: BillingPeriod,
  patientIds: number[],
  readReadings: ReadReadings<R>,
): Promise<PatientRecords<R>[]> {
  const byPatient = <T extends { patientId: number }>(rows: T[]) => Map.groupBy(rows, ({ patientId }) => patientId);
  const consents = byPatient(await findConsentRows(tx, patientIds));
  const episodes = byPatient(await findEpisodeRows(tx, period, patientIds));
  const readings = byPatient(await readReadings(tx, period, patientIds));
  const reviews = byPatient(await findReviewRows(tx, period, patientIds));
  const visits = byPatient(await findVisitRows(tx, period, patientIds));
  const holds = await findHolds(tx, period, patientIds);
  const deaths = byPatient(await findDeaths(tx, patientIds));
  const closedSetUps = byPatient(await findClosedSetUps(tx, period, patientIds));
  const reviewHolds = byPatient(holds.reviews);
  const unitReleases = byPatient(holds.units);
  return patientIds.map((patientId) => ({
    patientId,
    deceasedOn: deaths.get(patientId)?.[0]?.deceasedOn ?? null,
    holds: reviewHolds.get(patientId) ?? [],
    closedSetUps: closedSetUps.get(patientId) ?? [],
    unitRelease: unitReleases.get(patientId)?.at(-1) ?? null,
    consents: pairConsents(consents.get(patientId) ?? []),
    episodes: episodes.get(patientId) ?? [],
    readings: readings.get(patientId) ?? [],
    reviews: reviews.get(patientId) ?? [],
    visits: visits.get(patientId) ?? [],
  }));
}

const findDeaths = (tx: Tx, patientIds: number[]): Promise<{ patientId: number; deceasedOn: string }[]> =>
  tx.prisma.$queryRaw`
    SELECT id AS "patientId", deceased_date::text AS "deceasedOn" FROM patient
     WHERE organization_id = ${tx.organizationId} AND id = ANY (${patientIds}::int[]) AND deceased_date IS NOT NULL`;

/** The enrolments that reach into the days whose readings may count. */
export const episodesOfPeriod = (episodes: readonly EpisodeEvidence[], { readingsFrom }: BillingPeriod): EpisodeEvidence[] =>
  episodes.filter(({ to }) => to === null || to.getTime() >= Date.parse(`${readingsFrom}T00:00:00Z`));

/** The services of a month in the order in which one is billed: RPM before RTM, then by their beginning. RPM without a program. */
export function listServices(episodes: readonly EpisodeEvidence[]): MonitoringService[] {
  const services = new Set(episodes.map(({ service }) => service));
  return services.size === 0 ? ['rpm'] : [...services].toSorted((one, other) => Number(other === 'rpm') - Number(one === 'rpm'));
}
