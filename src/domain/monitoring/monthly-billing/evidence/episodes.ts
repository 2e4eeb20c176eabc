import type { EpisodeEvidence } from '../rules/evidence-types.ts';

const DAY_MS = 24 * 3_600_000;

/** Enrolments that follow each other, as one. */
export interface JoinedEpisode {
  /** Id of the first enrolment. */
  enrolmentId: number;
  from: Date;
  /** Null while it lasts. */
  to: Date | null;
}

/** Joins enrolments that overlap, or that begin less than so many days after the end of another. @param episodes by time */
export function joinEpisodes(episodes: readonly EpisodeEvidence[], gapDays = 0): JoinedEpisode[] {
  const joined: JoinedEpisode[] = [];
  for (const { enrolmentId, from, to } of episodes) {
    const last = joined.at(-1);
    if (last && (last.to === null || from.getTime() < last.to.getTime() + gapDays * DAY_MS)) {
      if (last.to !== null && (to === null || to > last.to)) last.to = to;
    } else joined.push({ enrolmentId, from, to });
  }
  return joined;
}
