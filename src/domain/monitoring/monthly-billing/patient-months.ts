import type { Tx } from '../../tx.ts';
import { type ConsentDays, consentDays, untilDeath } from './evidence/consent-days.ts';
import { type EpisodeHistory, findEpisodeHistory } from './evidence/episode-history.ts';
import { countReadings, findReadingRows, type ReadingCount } from './evidence/evidence-rows.ts';
import { judgeReviews, judgeVisits, readingJudge } from './evidence/judge-evidence.ts';
import { episodesOfPeriod, findPatientRecords, listServices, type PatientRecords, type ReadReadings } from './evidence/patient-records.ts';
import { type LedgerHold, writeHolds } from './ledger-holds.ts';
import type { BillingPeriod } from './rules/billing-period.ts';
import type { MonitoringService, PatientEvidence, ReadingEvidence } from './rules/evidence-types.ts';
import { countServiceMonth, daysOfEpisodes, type ServiceEpisodes, type ServiceMonth, serviceEpisodes } from './service-month.ts';

/** Records that do not count for one reason, or a code that is not billed beside others. */
export interface LeftOut {
  kind: 'readings' | 'reviews' | 'visits' | 'code';
  /** Of a code that is not billed. */
  code: string | null;
  /** Number of records, or units of the code. */
  count: number;
  why: string;
}

export interface PatientMonth extends ServiceMonth {
  patientId: number;
  /** Number of reviews, whether they overlap or not, or count. */
  reviews: number;
  /** Number of readings, whether they count or not. */
  readings: number;
  /** Ids of the reviews, for the audit. */
  reviewIds: number[];
  leftOut: LeftOut[];
  holds: LedgerHold[];
}

/** The month of each patient. Runs a fixed number of statements. Not audited. */
export async function countPatientMonths(tx: Tx, period: BillingPeriod, patientIds: number[]): Promise<Map<number, PatientMonth>> {
  const judged = await judgePatients(tx, period, patientIds, countReadings);
  return new Map(judged.map(({ records, picked, others }) => [records.patientId, writeMonth(records, picked, others)]));
}

/** The month of each patient with its evidence. Runs a fixed number of statements. Not audited. @public */
export async function readPatientMonths(
  tx: Tx,
  period: BillingPeriod,
  patientIds: number[],
): Promise<Map<number, { month: PatientMonth; evidence: PatientEvidence }>> {
  const readReadingRows: ReadReadings<ReadingCount & ReadingEvidence> = async (...request) =>
    (await findReadingRows(...request)).map((reading) => ({ ...reading, count: 1, counts: false, why: null }));
  const judged = await judgePatients(tx, period, patientIds, readReadingRows);
  return new Map(
    judged.map(({ records, picked, others }) => {
      const { consents, patientId } = records;
      const { reviews, visits } = picked;
      const readings = picked.readings.map(
        ({ count: _count, implausible: _implausible, inError: _inError, ...reading }): ReadingEvidence => reading,
      );
      const { service } = picked.month;
      const evidence = { patientId, service, consents, episodes: episodesOfPeriod(records.episodes, period), readings, reviews, visits };
      return [patientId, { month: writeMonth(records, picked, others), evidence }];
    }),
  );
}

interface JudgedService<R> {
  month: ServiceMonth;
  readings: (R & { counts: boolean; why: string | null })[];
  reviews: PatientEvidence['reviews'];
  visits: PatientEvidence['visits'];
}

interface JudgedPatient<R extends ReadingCount> {
  records: PatientRecords<R>;
  /** As what the month is billed. */
  picked: JudgedService<R>;
  /** The other services of the patient. */
  others: JudgedService<R>[];
}

/** Counts the month of each patient as each service that the patient is in, and picks the first that supports a code. */
async function judgePatients<R extends ReadingCount>(
  tx: Tx,
  period: BillingPeriod,
  patientIds: number[],
  readReadings: ReadReadings<R>,
): Promise<JudgedPatient<R>[]> {
  const records = await findPatientRecords(tx, period, patientIds, readReadings);
  const parts = records.flatMap((one) => splitByService(one, period));
  const days = parts.map(({ episodes, ...part }) => daysOfEpisodes(part, episodes, period));
  const found = await findEpisodeHistory(tx, period, days.flat());
  let used = 0;
  const judged = new Map<ServicePlan, EpisodeHistory[]>();
  for (const [index, part] of parts.entries()) {
    const count = days[index]?.length ?? 0;
    judged.set(part, found.slice(used, used + count));
    used += count;
  }
  const byPatient = Map.groupBy(parts, ({ patientId }) => patientId);
  return records.flatMap((one) => {
    const services = (byPatient.get(one.patientId) ?? []).map((part) => judgeService(one, part, judged.get(part) ?? [], period));
    const picked = services.find(({ month }) => month.codes.length > 0) ?? services[0];
    return picked ? [{ records: one, picked, others: services.filter((other) => other !== picked) }] : [];
  });
}

interface ServicePlan {
  patientId: number;
  service: MonitoringService;
  consented: ConsentDays[];
  episodes: ServiceEpisodes;
}

function splitByService({ patientId, consents, deceasedOn, episodes, closedSetUps }: PatientRecords<ReadingCount>, period: BillingPeriod) {
  const consented = untilDeath(consentDays(consents, period.timeZone), deceasedOn);
  return listServices(episodesOfPeriod(episodes, period)).map(
    (service): ServicePlan => ({ patientId, service, consented, episodes: serviceEpisodes({ episodes, closedSetUps }, service, period) }),
  );
}

function judgeService<R extends ReadingCount>(
  records: PatientRecords<R>,
  { service, episodes }: ServicePlan,
  history: readonly EpisodeHistory[],
  period: BillingPeriod,
): JudgedService<R> {
  const { consents, deceasedOn } = records;
  const grounds = { service, consents, deceasedOn, episodes: records.episodes };
  const judge = readingJudge(grounds, period);
  const readings = records.readings.map((reading) => ({ ...reading, ...judge(reading) }));
  const reviews = judgeReviews(records.reviews, grounds, period, records.holds);
  const visits = judgeVisits(records.visits, grounds, period);
  const month = countServiceMonth(grounds, episodes, history, { readings, reviews, visits, unitRelease: records.unitRelease }, period);
  return { month, readings, reviews, visits };
}

function writeMonth<R extends ReadingCount>(
  { patientId, reviews, holds, unitRelease }: PatientRecords<R>,
  picked: JudgedService<R>,
  others: readonly JudgedService<R>[],
): PatientMonth {
  return {
    patientId,
    ...picked.month,
    reviews: reviews.length,
    readings: picked.readings.reduce((sum, { count }) => sum + count, 0),
    reviewIds: reviews.map(({ id }) => id),
    holds: writeHolds(picked.month, holds, unitRelease),
    leftOut: [
      ...tally('readings', picked.readings, ({ count }) => count),
      ...tally('reviews', picked.reviews),
      ...tally('visits', picked.visits),
      ...others.flatMap(({ month }) => leftOutCodes(month, picked.month.service)),
    ],
  };
}

/** The records that do not count, by reason: in one order, however the records were read, since closed rows are compared. */
function tally<T extends { why: string | null }>(
  kind: LeftOut['kind'],
  records: readonly T[],
  count: (one: T) => number = () => 1,
): LeftOut[] {
  const counts = new Map<string, number>();
  for (const one of records) if (one.why !== null) counts.set(one.why, (counts.get(one.why) ?? 0) + count(one));
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([why, count]) => ({ kind, code: null, count, why }));
}

const leftOutCodes = ({ codes }: ServiceMonth, billed: MonitoringService): LeftOut[] =>
  codes.map(({ code, units }) => ({
    kind: 'code',
    code,
    count: units,
    why: billed === 'rpm' ? 'RPM is billed in this month, so RTM cannot be billed' : 'another kind of RTM is billed in this month',
  }));
