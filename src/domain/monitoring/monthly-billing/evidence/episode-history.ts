import { Prisma } from '../../../../generated/prisma/client.ts';
import type { ItemKind } from '../../../messaging/check-ins/usual-items.ts';
import type { Tx } from '../../../tx.ts';
import type { BillingPeriod } from '../rules/billing-period.ts';
import { CPT_CODE_RULES } from '../rules/cpt-code-rules.ts';
import type { ReadingSource } from '../rules/evidence-types.ts';
import type { ConsentDays } from './consent-days.ts';

/** Days of one patient whose readings count by their item and source and where a consent holds. */
export interface CountedDays {
  patientId: number;
  /** First day, `2026-11-01`. */
  from: string;
  /** Day after the last. */
  before: string;
  sources: readonly ReadingSource[];
  kind: ItemKind;
  /** The code of the set-up, by whose rules the days are counted. */
  setupCode: string;
  /** Days on which a consent holds. */
  consented: readonly ConsentDays[];
}

export interface EpisodeHistory {
  /** First day with a reading that counts; null without one. */
  firstReading: string | null;
  /** Last day of the first period with days enough for the set-up, as far as it was reached. */
  setupReached: string | null;
}

const SETUP_RULES = CPT_CODE_RULES.filter((rule) => rule.part === 'setup');

/**
 * Looks back over the readings of episodes: when the first was, and when the days of the set-up were reached. Reads of each
 * episode no more than the periods until then.
 * @returns in the order of the episodes
 */
export async function findEpisodeHistory(
  tx: Tx,
  { supplyPeriod }: BillingPeriod,
  episodes: readonly CountedDays[],
): Promise<EpisodeHistory[]> {
  const counts = Prisma.sql`r.organization_id = ${tx.organizationId} AND r.patient_id = s.patient_id AND r.measured_on < s.before_day
    AND r.source = ANY (string_to_array(s.sources, ',')) AND r.measured_on <@ s.consented
    AND i.kind::text = s.kind AND r.error_at IS NULL AND NOT r.implausible`;
  const readings = Prisma.sql`reading r JOIN item i ON i.organization_id = r.organization_id AND i.id = r.item_id`;
  return tx.prisma.$queryRaw<EpisodeHistory[]>`
    WITH span AS (
      SELECT * FROM unnest(${episodes.map((one) => one.patientId)}::int[], ${episodes.map((one) => one.setupCode)}::text[],
        ${episodes.map((one) => one.from)}::date[], ${episodes.map((one) => one.before)}::date[],
        ${episodes.map((one) => one.sources.join(','))}::text[], ${episodes.map((one) => one.kind)}::text[],
        ${episodes.map(writeConsented)}::datemultirange[])
        WITH ORDINALITY AS s (patient_id, code, from_day, before_day, sources, kind, consented, place)
    ), rule AS (
      SELECT * FROM unnest(${SETUP_RULES.map((one) => one.code)}::text[], ${SETUP_RULES.map((one) => one.from)}::date[],
        ${SETUP_RULES.map((one) => one.before)}::date[], ${SETUP_RULES.map((one) => one.fromDays)}::int[])
        AS u (code, from_day, before_day, days)
    )
    SELECT first.day::text AS "firstReading", reached.last_day::text AS "setupReached"
      FROM span s
      LEFT JOIN LATERAL (
        SELECT r.measured_on AS day FROM ${readings} WHERE r.measured_on >= s.from_day AND ${counts} ORDER BY r.measured_on LIMIT 1
      ) first ON true
      LEFT JOIN LATERAL (
        -- The periods come in order, and the first one with days enough ends the search.
        SELECT p.last_day FROM (${periodsFrom(supplyPeriod)}) p
         WHERE (SELECT count(DISTINCT r.measured_on) FROM ${readings}
                 WHERE r.measured_on >= greatest(p.first_day, s.from_day) AND r.measured_on <= p.last_day AND ${counts})
               >= (SELECT u.days FROM rule u WHERE u.code = s.code AND u.from_day <= p.last_day
                      AND (u.before_day IS NULL OR p.last_day < u.before_day))
         LIMIT 1
      ) reached ON true
     ORDER BY s.place`;
}

/** `{[2026-01-09,2026-03-01),[2026-05-01,)}`: a multirange of PostgreSQL. */
const writeConsented = ({ consented }: CountedDays): string =>
  `{${consented
    .filter(({ from, before }) => before === null || from < before)
    .map(({ from, before }) => `[${from},${before ?? ''})`)
    .join(',')}}`;

/** The periods of an episode from its first reading on, each with its first and last day. */
const periodsFrom = (supplyPeriod: BillingPeriod['supplyPeriod']) =>
  supplyPeriod === 'thirty_days'
    ? Prisma.sql`SELECT first.day + k * 30 AS first_day, first.day + k * 30 + 29 AS last_day
                   FROM generate_series(0, (s.before_day - first.day) / 30) k`
    : Prisma.sql`SELECT m::date AS first_day, (m + interval '1 month')::date - 1 AS last_day
                   FROM generate_series(date_trunc('month', first.day::timestamp), s.before_day - 1, interval '1 month') m`;
