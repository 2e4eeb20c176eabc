import type { ItemKind } from '../../../messaging/check-ins/usual-items.ts';
import { dayAt, writeDay } from '../../../values/time/time.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import { COUNTED_KINDS, listCountedSources } from '../rules/cpt-code-rules.ts';
import type {
  ConsentEvidence,
  EpisodeEvidence,
  MonitoringService,
  ReadingSource,
  ReviewEvidence,
  VisitEvidence,
} from '../rules/evidence-types.ts';
import { isHeld, type ReviewHold } from '../rules/holds.ts';
import { consentDays, lackOfConsent } from './consent-days.ts';
import { type JoinedEpisode, joinEpisodes } from './episodes.ts';
import type { ReadingFacts, ReviewRow } from './evidence-rows.ts';
import type { VisitRow } from './visit-rows.ts';

/** By what a patient's evidence is judged. */
export interface Grounds {
  service: MonitoringService;
  consents: readonly ConsentEvidence[];
  episodes: readonly EpisodeEvidence[];
  /** Day of the patient's death, `2026-11-01`. */
  deceasedOn: string | null;
}

function dayJudge({ consents, deceasedOn }: Grounds, timeZone: string): (day: string) => string | null {
  const consented = consentDays(consents, timeZone);
  return (day) => (deceasedOn !== null && day > deceasedOn ? 'after the day of the patient’s death' : lackOfConsent(consented, day));
}

const verdict = (why: string | null) => ({ counts: why === null, why });

/**
 * Judges readings by their item, day and source. Readings of therapeutic monitoring must be of a day in a program of that kind; where RPM
 * began with a program, earlier days are not its own.
 */
export function readingJudge(
  grounds: Grounds,
  { timeZone, readings }: BillingPeriod,
): (reading: ReadingFacts & { measuredOn: string; source: ReadingSource }) => { counts: boolean; why: string | null } {
  const { service, episodes } = grounds;
  const lackOn = dayJudge(grounds, timeZone);
  const sources = listCountedSources(service, readings);
  const enrolled = episodes.filter((one) => one.service === service).map((one) => episodeDays(one, timeZone));
  const lackOfProgram = (day: string): string | null => {
    if (enrolled.some(({ from, to }) => from <= day && (to === null || day <= to))) return null;
    if (service !== 'rpm') return 'outside of the program';
    return enrolled.some(({ from }) => day < from) ? 'before the program' : null;
  };
  return ({ measuredOn, source, ...facts }) => {
    const fault = findFault(facts, service);
    if (fault !== null) return verdict(fault);
    if (!sources.includes(source)) return verdict(source === 'staff' ? 'entered by staff' : 'not from a device');
    return verdict(lackOfProgram(measuredOn) ?? lackOn(measuredOn));
  };
}

/** The reason for which a reading is nothing that the service measures; null for none. */
function findFault({ kind, implausible, inError }: ReadingFacts, service: MonitoringService): string | null {
  if (inError) return 'entered in error';
  if (implausible) return 'implausible value';
  const counted = COUNTED_KINDS[service];
  return kind === counted
    ? null
    : `${writeKind(kind)}, where ${service === 'rpm' ? 'RPM' : 'this RTM'} counts ${writeKind(counted)} readings`;
}

const writeKind = (kind: ItemKind): string => kind.replace('_', ' ');

/** First and last day of an enrolment on the clocks of the practice, `2026-11-01`. */
export const episodeDays = ({ from, to }: { from: Date; to: Date | null }, timeZone: string) => ({
  from: writeDay(dayAt(from, timeZone)),
  to: to && writeDay(dayAt(to, timeZone)),
});

export function judgeReviews(
  reviews: readonly ReviewRow[],
  grounds: Grounds,
  { timeZone }: BillingPeriod,
  holds: readonly ReviewHold[],
): ReviewEvidence[] {
  const lackOn = dayJudge(grounds, timeZone);
  return reviews.map(({ patientId: _patientId, ...review }) => {
    const own = holds.filter(({ reviewId }) => reviewId === review.id);
    return {
      ...review,
      holds: own,
      ...verdict(lackOfRelease(own) ?? lackOn(writeDay(dayAt(review.startedAt, timeZone)))),
    };
  });
}

function lackOfRelease(holds: readonly ReviewHold[]): string | null {
  const held = holds.filter(isHeld).map(({ why }) => why);
  return held.length === 0 ? null : `held: ${held.join('; ')}`;
}

/** Joins the time of several hosts in one session, and cuts it to the time in which the patient was in a program. */
export function judgeVisits(visits: readonly VisitRow[], grounds: Grounds, { timeZone }: BillingPeriod): VisitEvidence[] {
  const lackOn = dayJudge(grounds, timeZone);
  const findLack = ({ from }: { from: Date }) => lackOn(writeDay(dayAt(from, timeZone)));
  const outsiders = visits.filter(({ onCareTeam }) => !onCareTeam);
  const enrolled = joinEpisodes(grounds.episodes);
  const team = joinSpans(visits.filter(({ onCareTeam }) => onCareTeam)).flatMap((visit) => {
    const parts = enrolled.flatMap((episode) => intersect(visit, episode));
    return parts.length === 0
      ? [{ ...visit, ...verdict('the patient was not in a program') }]
      : parts.map((part) => ({ ...part, ...verdict(findLack(part)) }));
  });
  return [...team, ...joinSpans(outsiders).map((visit) => ({ ...visit, ...verdict('without a member of the care team') }))].toSorted(
    (one, other) => one.from.getTime() - other.from.getTime(),
  );
}

type JoinedVisit = Omit<VisitEvidence, 'counts' | 'why'>;

/** @param visits by time */
function joinSpans(visits: readonly VisitRow[]): JoinedVisit[] {
  const joined: JoinedVisit[] = [];
  for (const { sessionId, userId, from, before } of visits) {
    const open = joined.findLast((one) => one.sessionId === sessionId && one.before >= from);
    if (!open) joined.push({ sessionId, from, before, userIds: [userId] });
    else {
      if (open.before < before) open.before = before;
      if (!open.userIds.includes(userId)) open.userIds.push(userId);
    }
  }
  return joined;
}

function intersect(visit: JoinedVisit, episode: JoinedEpisode): JoinedVisit[] {
  const from = new Date(Math.max(visit.from.getTime(), episode.from.getTime()));
  const before = episode.to !== null && episode.to < visit.before ? episode.to : visit.before;
  return from < before ? [{ ...visit, from, before }] : [];
}
