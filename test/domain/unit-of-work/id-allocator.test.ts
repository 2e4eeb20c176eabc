import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createIdAllocator } from '../../../src/domain/unit-of-work/id-allocator.ts';

/** A sequence that remembers what it was asked for, and answers when it is let. */
function sequence() {
  let last = 0;
  const asked: number[] = [];
  return {
    asked,
    draw: async (count: number) => {
      asked.push(count);
      await sleep(1);
      return Array.from({ length: count }, () => {
        last += 1;
        return { id: last };
      });
    },
  };
}

it('gives each id once, and in the order of asking, however many ask at once', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }), async (crowds) => {
      const { draw, asked } = sequence();
      const next = createIdAllocator(draw);
      const given: number[] = [];
      for (const crowd of crowds) given.push(...(await Promise.all(Array.from({ length: crowd }, next))));
      expect(new Set(given).size).toBe(given.length);
      expect(given).toEqual(given.toSorted((a, b) => a - b));
      expect(asked.length).toBeLessThanOrEqual(crowds.length);
    }),
    { numRuns: 50 },
  ));

it('draws for one alone where only one asks, and ahead where many do', async () => {
  const { draw, asked } = sequence();
  const next = createIdAllocator(draw);
  await next();
  await next();
  expect(asked).toEqual([1, 1]);
  await Promise.all([next(), next(), next()]);
  expect(asked).toHaveLength(3);
  expect(asked[2]).toBeGreaterThan(3);
});

it('lets go what was drawn ahead and not used in a moment', async () => {
  const { draw, asked } = sequence();
  const next = createIdAllocator(draw);
  const given = await Promise.all([next(), next(), next()]);
  await sleep(150);
  expect(await next()).toBeGreaterThan(Math.max(...given) + 1);
  expect(asked).toHaveLength(2);
});

it('fails those who asked when the database does, and serves the next', async () => {
  const { draw } = sequence();
  let down = true;
  const next = createIdAllocator(async (count) => {
    if (down) throw new Error('the database is down');
    return draw(count);
  });
  const outcomes = await Promise.allSettled([next(), next()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  down = false;
  expect(await next()).toBe(1);
});

it('fails whoever a sequence gave nothing', async () => {
  const next = createIdAllocator(async () => []);
  await expect(next()).rejects.toThrow('too few');
});
