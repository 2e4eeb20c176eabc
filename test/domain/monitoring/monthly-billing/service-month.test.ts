import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { type BillingPeriod, PERIOD_DAYS } from '../../../../src/domain/monitoring/monthly-billing/rules/billing-period.ts';
import { rulesInForce } from '../../../../src/domain/monitoring/monthly-billing/rules/cpt-codes.ts';
import type { EpisodeEvidence } from '../../../../src/domain/monitoring/monthly-billing/rules/evidence-types.ts';
import { countServiceMonth, daysOfEpisodes, serviceEpisodes } from '../../../../src/domain/monitoring/monthly-billing/service-month.ts';

const FIRST = Temporal.PlainDate.from('2026-01-01');
const timeZone = 'America/New_York';
const dayAfter = (number: number) => FIRST.add({ days: number });
const at = (number: number, hour: number) =>
  new Date(dayAfter(number).toZonedDateTime({ timeZone, plainTime: { hour, minute: 30 } }).epochMilliseconds);

/** A month under the policy of 30 days. */
function createPeriod(month: number): BillingPeriod {
  const first = FIRST.add({ months: month });
  const end = first.add({ months: 1 });
  const instant = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).epochMilliseconds;
  return {
    month: first.toString().slice(0, 7),
    timeZone,
    span: { from: instant(first), before: instant(end) },
    firstDay: first.toString(),
    endDay: end.toString(),
    readingsFrom: first.subtract({ days: PERIOD_DAYS - 1 }).toString(),
    rules: rulesInForce(first.toString()),
    readings: 'device',
    supplyPeriod: 'thirty_days',
    closed: null,
  };
}

/** Enrolments by the day on which they began. */
const enrolments = fc.array(fc.tuple(fc.nat(300), fc.nat(150), fc.nat(23), fc.nat(23)), { minLength: 1, maxLength: 4 }).map((some) =>
  some
    .toSorted(([one], [other]) => one - other)
    .map(
      ([from, length, start, end], index): EpisodeEvidence => ({
        enrolmentId: index + 1,
        programId: 1,
        service: 'rpm',
        from: at(from, start),
        to: at(from + length + 1, end),
      }),
    ),
);

describe('periods of 30 days', () => {
  it('never share a day, whatever the enrolments and the readings, and lie in one month’s row each', () => {
    fc.assert(
      fc.property(enrolments, fc.uniqueArray(fc.nat(480), { maxLength: 60 }), (episodes, measured) => {
        const days = measured.toSorted((one, other) => one - other).map((number) => dayAfter(number).toString());
        const billed = Array.from({ length: 18 }, (_, month) => {
          const period = createPeriod(month);
          const begun = episodes.filter(({ from }) => from.getTime() < period.span.before);
          const grounds = { service: 'rpm', consents: [], episodes: begun, deceasedOn: null } as const;
          const own = serviceEpisodes({ episodes: begun, closedSetUps: [] }, 'rpm', period);
          const history = daysOfEpisodes({ patientId: 1, service: 'rpm', consented: [] }, own, period).map(({ from, before }) => ({
            firstReading: days.find((day) => day >= from && day < before) ?? null,
            setupReached: null,
          }));
          const readings = days.map((measuredOn) => ({ measuredOn, counts: true }));
          return countServiceMonth(grounds, own, history, { readings, reviews: [], visits: [], unitRelease: null }, period).supply;
        }).flatMap((periods) => periods.flatMap(({ from, to }) => (from === null || to === null ? [] : [{ from, to }])));
        for (const [index, { from, to }] of billed.entries()) {
          expect(Temporal.PlainDate.from(from).until(to).days).toBe(PERIOD_DAYS - 1);
          for (const other of billed.slice(index + 1)) expect(other.from > to).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});
