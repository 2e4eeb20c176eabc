import { Temporal } from 'temporal-polyfill';
import { type ClosedSetUp, withoutClosedSetUps } from './evidence/closed-set-ups.ts';
import { consentDays, lackOfConsent } from './evidence/consent-days.ts';
import type { CountedDays, EpisodeHistory } from './evidence/episode-history.ts';
import { type JoinedEpisode, joinEpisodes } from './evidence/episodes.ts';
import { episodeDays, type Grounds } from './evidence/judge-evidence.ts';
import { type BillingPeriod, PERIOD_DAYS } from './rules/billing-period.ts';
import { COUNTED_KINDS, CPT_CODE_RULES, listCountedSources } from './rules/cpt-code-rules.ts';
import { type CptCodeCount, countCptCodes, type MonthlyActivity, type SupplyPeriod } from './rules/cpt-codes.ts';
import type { ConsentEvidence, EpisodeEvidence, MonitoringService, ReviewEvidence, VisitEvidence } from './rules/evidence-types.ts';
import type { UnitRelease } from './rules/holds.ts';
import { countMinutes } from './rules/review-minutes.ts';

/** The judged records from which a patient's month is counted, for one service. */
export interface JudgedRecords {
  readings: readonly { measuredOn: string; counts: boolean }[];
  reviews: readonly ReviewEvidence[];
  visits: readonly VisitEvidence[];
  unitRelease: UnitRelease | null;
}

/** The episodes of a service in a month: those whose set-up may be billed, and those by which supply periods are laid. */
export interface ServiceEpisodes {
  setups: JoinedEpisode[];
  /** Empty under the policy of the calendar month. */
  supplies: JoinedEpisode[];
}

const EARLIEST = Date.parse('1900-01-01T00:00:00Z');
/** The longest gap through which periods go on; an hour of a clock change makes it a day longer than a period. */
const GAP_DAYS = PERIOD_DAYS + 1;
const DAY_MS = 24 * 3_600_000;

/** The episode of a patient who is monitored without a program: after the last period of a former one. */
const withoutProgram = (former: JoinedEpisode | undefined): JoinedEpisode => ({
  enrolmentId: 0,
  from: new Date(former?.to ? former.to.getTime() + GAP_DAYS * DAY_MS : EARLIEST),
  to: null,
});

const isTherapeutic = (service: MonitoringService) => service !== 'rpm';

/**
 * Enrolments of one kind of monitoring that overlap are one episode. Supply periods go on through a gap that is shorter than a
 * period, so that no day is in two of them.
 */
export function serviceEpisodes(
  { episodes, closedSetUps }: { episodes: readonly EpisodeEvidence[]; closedSetUps: readonly ClosedSetUp[] },
  service: MonitoringService,
  period: BillingPeriod,
): ServiceEpisodes {
  const isReaching = ({ from, to }: JoinedEpisode) =>
    (episodeDays({ from, to }, period.timeZone).to ?? period.endDay) >= period.readingsFrom;
  const alike = episodes.filter((one) => isTherapeutic(one.service) === isTherapeutic(service));
  const own = episodes.filter((one) => one.service === service);
  const joined = joinEpisodes(own, GAP_DAYS);
  const supplies = joined.filter(isReaching);
  const billed = closedSetUps.filter(({ code }) => code === findSetupCode(service));
  return {
    setups: withoutClosedSetUps(joinEpisodes(alike), billed, period).filter(isReaching),
    supplies: period.supplyPeriod === 'calendar_month' ? [] : supplies.length > 0 ? supplies : [withoutProgram(joined.at(-1))],
  };
}

const findSetupCode = (service: MonitoringService): string =>
  CPT_CODE_RULES.find(({ part, services }) => part === 'setup' && services.includes(service))?.code ?? '';

/** The days over which the history of each episode is read, in the order of `setups` and `supplies`. */
export function daysOfEpisodes(
  { patientId, service, consented }: Pick<CountedDays, 'patientId' | 'consented'> & { service: MonitoringService },
  { setups, supplies }: ServiceEpisodes,
  { timeZone, endDay, readings }: BillingPeriod,
): CountedDays[] {
  return [...setups, ...supplies].map((episode) => {
    const { from, to } = episodeDays(episode, timeZone);
    const before = to === null ? endDay : Temporal.PlainDate.from(to).add({ days: 1 }).toString();
    return {
      patientId,
      consented,
      from,
      before: before < endDay ? before : endDay,
      sources: listCountedSources(service, readings),
      kind: COUNTED_KINDS[service],
      setupCode: findSetupCode(service),
    };
  });
}

export interface ServiceMonth extends MonthlyActivity, CptCodeCount {
  /** The consent that holds at the end of the month. */
  consentOnFile: ConsentEvidence | null;
}

/** Counts a patient's month as one service. @param history of the episodes, in the order of daysOfEpisodes */
export function countServiceMonth(
  { service, consents }: Grounds,
  { setups, supplies }: ServiceEpisodes,
  history: readonly EpisodeHistory[],
  { readings, reviews, visits, unitRelease }: JudgedRecords,
  period: BillingPeriod,
): ServiceMonth {
  const days = [...new Set(readings.filter(({ counts }) => counts).map(({ measuredOn }) => measuredOn))];
  const consentOnFile = findConsent(consents, period);
  const activity: MonthlyActivity = {
    service,
    ...countCare(reviews, visits, period),
    days: days.filter((day) => day >= period.firstDay).length,
    consent: consentOnFile !== null,
    releasedUnits: unitRelease?.units,
    supply:
      supplies.length === 0
        ? []
        : supplies.flatMap((episode, index) => supplyPeriods(episode, history[setups.length + index], days, period)),
    setups: setups.flatMap((episode, index) => setupDays(episode, history[index], days, period)),
  };
  if (supplies.length === 0) activity.supply = [{ days: activity.days, from: null, to: null }];
  return { consentOnFile, ...activity, ...countCptCodes(activity, period.rules) };
}

/** A contact is live in the month in which it began; its minutes count in each month that it touches. */
function countCare(reviews: readonly ReviewEvidence[], visits: readonly VisitEvidence[], { span }: BillingPeriod) {
  const isWithin = (at: Date) => at.getTime() >= span.from && at.getTime() < span.before;
  const work = reviews.filter(({ counts }) => counts);
  const met = visits.filter(({ counts }) => counts);
  const spans = [
    ...work.map(({ startedAt, minutes }) => ({ from: startedAt.getTime(), before: startedAt.getTime() + minutes * 60_000 })),
    ...met.map(({ from, before }) => ({ from: from.getTime(), before: before.getTime() })),
  ];
  return {
    minutes: countMinutes(spans, span),
    liveContact: work.some(({ live, startedAt }) => live && isWithin(startedAt)) || met.some(({ from }) => isWithin(from)),
  };
}

function findConsent(consents: readonly ConsentEvidence[], { timeZone, endDay }: BillingPeriod): ConsentEvidence | null {
  const lastDay = Temporal.PlainDate.from(endDay).subtract({ days: 1 }).toString();
  return consents.findLast((consent) => lackOfConsent(consentDays([consent], timeZone), lastDay) === null) ?? null;
}

/** The supply periods of an episode that end in the month; for one without a reading yet, an empty one. */
function supplyPeriods(
  episode: JoinedEpisode,
  history: EpisodeHistory | undefined,
  days: readonly string[],
  { firstDay, endDay, timeZone }: BillingPeriod,
): SupplyPeriod[] {
  if (!history?.firstReading) return [{ days: 0, from: null, to: null }];
  const ended = episodeDays(episode, timeZone).to;
  const first = Temporal.PlainDate.from(history.firstReading);
  const elapsed = first.until(firstDay, { largestUnit: 'days' }).days;
  const skipped = Math.max(0, Math.ceil((elapsed - PERIOD_DAYS + 1) / PERIOD_DAYS));
  return [skipped, skipped + 1]
    .map((number) => first.add({ days: number * PERIOD_DAYS }))
    .map((day) => ({ from: day.toString(), to: day.add({ days: PERIOD_DAYS - 1 }).toString() }))
    .filter(({ from, to }) => to >= firstDay && to < endDay && (ended === null || from <= ended))
    .map(({ from, to }) => ({ from, to, days: days.filter((day) => day >= from && day <= to).length }));
}

/** The days towards the set-up in the month; none where an earlier month reached them, or where the month's own period goes on after it. */
function setupDays(
  episode: JoinedEpisode,
  history: EpisodeHistory | undefined,
  days: readonly string[],
  { firstDay, endDay, timeZone, supplyPeriod, readingsFrom }: BillingPeriod,
): number[] {
  const reached = history?.setupReached ?? null;
  if (reached !== null && reached < firstDay) return [];
  const { from, to } = episodeDays(episode, timeZone);
  const own = days.filter((day) => day >= from && (to === null || day <= to));
  if (supplyPeriod === 'calendar_month') return [own.filter((day) => day >= firstDay).length];
  if (reached !== null && reached < endDay) return [own.filter((day) => day >= addDays(reached, 1 - PERIOD_DAYS) && day <= reached).length];
  return reached === null ? [own.filter((day) => day >= readingsFrom).length] : [];
}

const addDays = (day: string, number: number): string => Temporal.PlainDate.from(day).add({ days: number }).toString();
