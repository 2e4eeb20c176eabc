import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CPT_CODE_RULES } from '../../../../src/domain/monitoring/monthly-billing/rules/cpt-code-rules.ts';
import { countCptCodes, type MonthlyActivity, rulesInForce } from '../../../../src/domain/monitoring/monthly-billing/rules/cpt-codes.ts';
import { countMinutes, type TimeSpan } from '../../../../src/domain/monitoring/monthly-billing/rules/review-minutes.ts';

const now = rulesInForce('2026-11-01');
type Care = { minutes?: number; days?: number; liveContact?: boolean };
/** A month of RPM with consent; its supply goes by the calendar month unless given. */
const toActivity = ({ minutes = 0, days = 0, liveContact = false, ...care }: Care & Partial<MonthlyActivity>): MonthlyActivity => ({
  service: 'rpm',
  minutes,
  days,
  liveContact,
  consent: true,
  supply: [{ days, from: null, to: null }],
  setups: [],
  ...care,
});
const written = (care: Care & Partial<MonthlyActivity>, rules = now) => {
  const { codes, missing } = countCptCodes(toActivity(care), rules);
  return {
    codes: codes.map(({ code, units }) => (units === 1 ? code : `${code} ×${units}`)),
    missing: missing.map(({ text: words }) => words),
  };
};

describe('readings on so many days', () => {
  it.each([
    [0, [], '2 days of readings to 99445'],
    [1, [], '1 day of readings to 99445'],
    [2, ['99445'], '14 days of readings to 99454'],
    [15, ['99445'], '1 day of readings to 99454'],
    [16, ['99454'], null],
    [31, ['99454'], null],
  ])('%i support %j', (days, codes, missing) => {
    const told = written({ days });
    expect(told.codes).toEqual(codes);
    expect(told.missing.filter((words) => / to 994(45|54)$/.test(words))).toEqual(missing === null ? [] : [missing]);
  });
});

describe('so many minutes with live contact', () => {
  it.each([
    [0, [], '10 minutes to 99470'],
    [9, [], '1 minute to 99470'],
    [10, ['99470'], '10 minutes to 99457'],
    [16, ['99470'], '4 minutes to 99457'],
    [19, ['99470'], '1 minute to 99457'],
    [20, ['99457'], '20 minutes to 99458'],
    [39, ['99457'], '1 minute to 99458'],
    [40, ['99457', '99458'], '20 minutes to 99458'],
    [59, ['99457', '99458'], '1 minute to 99458'],
    [60, ['99457', '99458 ×2'], '20 minutes to 99458'],
    [119, ['99457', '99458 ×4'], '1 minute to 99458'],
  ])('%i support %j', (minutes, codes, missing) => {
    const told = written({ minutes, liveContact: true, days: 16 });
    expect(told).toEqual({ codes: ['99454', ...codes], missing: [missing] });
  });
});

describe('more than four units of a code', () => {
  it.each([
    [119, undefined, 4, []],
    [120, undefined, 4, [{ code: '99458', supported: 5, held: 1 }]],
    [160, undefined, 4, [{ code: '99458', supported: 7, held: 3 }]],
    [160, 7, 7, []],
    [180, 7, 7, [{ code: '99458', supported: 8, held: 1 }]],
  ])('are held: of %i minutes, %s released', (minutes, releasedUnits, units, heldUnits) => {
    const told = countCptCodes(toActivity({ minutes, releasedUnits, liveContact: true, days: 16 }), now);
    expect([told.codes.at(-1)?.units, told.heldUnits]).toEqual([units, heldUnits]);
  });
});

describe('minutes without live contact', () => {
  it.each([
    [4, '6 minutes and live contact to 99470'],
    [10, 'live contact to 99470'],
    [25, 'live contact to 99457'],
    [45, 'live contact to 99458'],
  ])('support nothing: of %i is missing: %s', (minutes, missing) => {
    expect(written({ minutes, days: 16 })).toEqual({ codes: ['99454'], missing: [missing] });
  });
});

describe('therapeutic monitoring', () => {
  it.each([
    ['rtm_respiratory', 2, 10, ['98984', '98979']],
    ['rtm_respiratory', 16, 19, ['98976', '98979']],
    ['rtm_musculoskeletal', 15, 20, ['98985', '98980']],
    ['rtm_musculoskeletal', 16, 39, ['98977', '98980']],
    ['rtm_cognitive_behavioral', 2, 40, ['98986', '98980', '98981']],
    ['rtm_cognitive_behavioral', 30, 80, ['98978', '98980', '98981 ×3']],
  ] as const)('of the kind %s has for %i days and %i minutes the codes %j', (service, days, minutes, codes) => {
    expect(written({ service, days, minutes, liveContact: true }).codes).toEqual(codes);
  });

  it('began in 2022, of cognitive behavior in 2023, and has short periods from 2026 on', () => {
    const codes = (day: string, service: MonthlyActivity['service'], days: number) =>
      written({ service, days, minutes: 15, liveContact: true }, rulesInForce(day)).codes;
    expect(codes('2021-12-01', 'rtm_respiratory', 16)).toEqual([]);
    expect(codes('2022-01-01', 'rtm_respiratory', 16)).toEqual(['98976']);
    expect(codes('2022-12-01', 'rtm_cognitive_behavioral', 16)).toEqual([]);
    expect(codes('2023-01-01', 'rtm_cognitive_behavioral', 16)).toEqual(['98978']);
    expect(codes('2025-12-01', 'rtm_musculoskeletal', 15)).toEqual([]);
    expect(codes('2026-01-01', 'rtm_musculoskeletal', 15)).toEqual(['98985', '98979']);
  });
});

describe('the set-up', () => {
  it('needs 2 days, before 2026 16, for each episode that is not billed yet', () => {
    expect(written({ setups: [2], days: 2 }).codes).toEqual(['99453', '99445']);
    expect(written({ setups: [1], days: 1 }).missing).toContain('1 day of readings to 99453');
    expect(written({ setups: [15], days: 15 }, rulesInForce('2025-12-01')).codes).toEqual([]);
    expect(written({ setups: [16], days: 16 }, rulesInForce('2025-12-01')).codes).toEqual(['99453', '99454']);
    expect(written({ service: 'rtm_respiratory', setups: [2], days: 2 }).codes).toEqual(['98975', '98984']);
  });
});

describe('the rules', () => {
  it('of 2025 know neither 99445 nor 99470', () => {
    const rules = rulesInForce('2025-12-01');
    expect(written({ days: 15, minutes: 19, liveContact: true }, rules)).toEqual({
      codes: [],
      missing: ['1 day of readings to 99454', '1 minute to 99457'],
    });
    expect(written({ days: 16, minutes: 40, liveContact: true }, rules).codes).toEqual(['99454', '99457', '99458']);
  });

  it('of 2019 know no further 20 minutes, and of 2018 nothing', () => {
    expect(written({ days: 16, minutes: 60, liveContact: true }, rulesInForce('2019-06-01'))).toEqual({
      codes: ['99454', '99457'],
      missing: [],
    });
    expect(written({ days: 16, minutes: 60, liveContact: true }, rulesInForce('2018-12-01'))).toEqual({ codes: [], missing: [] });
  });

  it('each name their source, and hold from one day to another', () => {
    for (const { from, before, source } of CPT_CODE_RULES) {
      expect(from).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(before === null || before > from).toBe(true);
      expect(source).toContain('CMS Physician Fee Schedule');
    }
  });

  it('support of one service one code alone, but for further minutes', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(31), fc.boolean(), (minutes, days, liveContact) => {
        const { codes } = written({ minutes, days, liveContact });
        const chooseCodes = (...some: string[]) => codes.filter((one) => some.includes(one.slice(0, 5)));
        expect(chooseCodes('99445', '99454').length).toBeLessThanOrEqual(1);
        expect(chooseCodes('99470', '99457').length).toBeLessThanOrEqual(1);
        expect(chooseCodes('99458').length === 0 || chooseCodes('99457').length === 1).toBe(true);
        expect(liveContact || chooseCodes('99470', '99457', '99458').length === 0).toBe(true);
      }),
    );
  });

  it('say truly what is missing: with that much more the code, or one more of it, is supported', () => {
    const units = (care: { minutes: number; days: number; liveContact: boolean }, code: string) =>
      countCptCodes(toActivity({ ...care, releasedUnits: 100 }), now).codes.find((one) => one.code === code)?.units ?? 0;
    fc.assert(
      fc.property(fc.nat(200), fc.nat(31), fc.boolean(), (minutes, days, liveContact) => {
        const care = { minutes, days, liveContact };
        for (const step of countCptCodes(toActivity(care), now).missing) {
          const more = { minutes: minutes + step.minutes, days: days + step.days, liveContact: liveContact || step.liveContact };
          expect(units(more, step.code)).toBeGreaterThan(units(care, step.code));
          if (step.minutes > 0) expect(units({ ...more, minutes: more.minutes - 1 }, step.code)).toBe(units(care, step.code));
          if (step.days > 0) expect(units({ ...more, days: more.days - 1 }, step.code)).toBe(units(care, step.code));
        }
      }),
    );
  });
});

describe('minutes of spans', () => {
  const MINUTE = 60_000;
  const month: TimeSpan = { from: 0, before: 1_000 * MINUTE };
  const spans = fc.array(
    fc
      .tuple(fc.integer({ min: -200, max: 1_200 }), fc.integer({ min: 1, max: 480 }))
      .map(([from, length]): TimeSpan => ({ from: from * MINUTE, before: (from + length) * MINUTE })),
    { maxLength: 20 },
  );

  it('are those minutes in which somebody worked, counted one by one', () => {
    fc.assert(
      fc.property(spans, (some) => {
        const worked = Array.from({ length: 1_000 }, (_, minute) =>
          some.some(({ from, before }) => from <= minute * MINUTE && minute * MINUTE < before),
        );
        expect(countMinutes(some, month)).toBe(worked.filter(Boolean).length);
      }),
    );
  });

  it('are the same in any order, and each span twice', () => {
    fc.assert(
      fc.property(spans, (some) => {
        expect(countMinutes(some.toReversed(), month)).toBe(countMinutes(some, month));
        expect(countMinutes([...some, ...some], month)).toBe(countMinutes(some, month));
      }),
    );
  });

  it('never fall with more work, nor are more than all of it', () => {
    fc.assert(
      fc.property(spans, spans, (some, more) => {
        const alone = countMinutes(some, month);
        const together = countMinutes([...some, ...more], month);
        expect(together).toBeGreaterThanOrEqual(alone);
        expect(together).toBeLessThanOrEqual(alone + countMinutes(more, month));
      }),
    );
  });

  it('are whole: seconds add up before they are dropped', () => {
    const half = (from: number): TimeSpan => ({ from, before: from + MINUTE / 2 });
    expect(countMinutes([half(0)], month)).toBe(0);
    expect(countMinutes([half(0), half(5 * MINUTE)], month)).toBe(1);
  });
});
