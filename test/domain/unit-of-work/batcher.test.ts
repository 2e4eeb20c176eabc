import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBatcher } from '../../../src/domain/unit-of-work/batcher.ts';

it('answers each with its own, in calls of which none overtakes another and none is larger than it may be', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5 }),
      async (crowds, most) => {
        let underWay = 0;
        const seen: number[] = [];
        const ask = createBatcher<number, string>(most, async (items) => {
          underWay += 1;
          expect(underWay).toBe(1);
          expect(items.length).toBeLessThanOrEqual(most);
          await sleep(1);
          seen.push(...items);
          underWay -= 1;
          return items.map((item) => `answer ${item}`);
        });
        let next = 0;
        const answers: Promise<string>[] = [];
        for (const crowd of crowds) {
          for (let n = 0; n < crowd; n += 1) answers.push(ask(next++));
          await sleep(0);
        }
        const all = Array.from({ length: next }, (_, n) => n);
        expect(await Promise.all(answers)).toEqual(all.map((n) => `answer ${n}`));
        expect(seen).toEqual(all);
      },
    ),
    { numRuns: 30 },
  ));

it('fails one where its answer is a failure, and all where the call fails, and goes on after it', async () => {
  const ask = createBatcher<string, string>(10, async (items) => {
    if (items.includes('call')) throw new Error('the call failed');
    return items.map((item) => (item === 'one' ? Promise.reject(new Error('one failed')) : item));
  });
  const listOutcomes = async (items: string[]) => (await Promise.allSettled(items.map(ask))).map(({ status }) => status);
  expect(await listOutcomes(['a', 'one', 'b'])).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await listOutcomes(['a', 'call'])).toEqual(['rejected', 'rejected']);
  expect(await listOutcomes(['a'])).toEqual(['fulfilled']);
});

it('fails those for whom there is no answer', async () => {
  const ask = createBatcher<number, number>(10, async () => []);
  await expect(ask(1)).rejects.toThrow('fewer results');
});
