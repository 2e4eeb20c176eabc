import { expect, it } from 'vitest';
import { createPracticeShares } from '../../../src/domain/unit-of-work/practice-shares.ts';

/** Practices that enter, in the order in which they got in. */
function createEntrance(options: { slots: number; share: number; longestQueue: number }) {
  const shares = createPracticeShares(options);
  const inside: number[] = [];
  return {
    inside,
    enter(practice: number): void {
      const turn = shares.enter(practice);
      if (turn) void turn.then(() => inside.push(practice));
      else inside.push(practice);
    },
    async leave(practice: number): Promise<void> {
      shares.leave(practice);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('gives a practice that is alone all slots, and practices that wait their turns', async () => {
  const { inside, enter, leave } = createEntrance({ slots: 4, share: 2, longestQueue: 100 });
  for (let count = 0; count < 20; count += 1) enter(1);
  expect(inside).toEqual([1, 1, 1, 1]);
  enter(2);
  enter(2);
  enter(3);
  for (let count = 0; count < 3; count += 1) await leave(1);
  expect(inside.slice(4)).toEqual([2, 3, 1]);
  await leave(2);
  expect(inside.slice(7)).toEqual([2]);
  // Until the others have left, it has its share and no more.
  await leave(2);
  expect(inside).toHaveLength(8);
  await leave(3);
  expect(inside.slice(8)).toEqual([1, 1]);
});

it('refuses at once what would wait for long, of a practice with more than its part of the queue', () => {
  const { inside, enter } = createEntrance({ slots: 2, share: 1, longestQueue: 10 });
  for (let count = 0; count < 12; count += 1) enter(1);
  expect(() => enter(1)).toThrow(expect.objectContaining({ kind: 'unavailable', retryAfter: 1 }));
  enter(2);
  expect(() => enter(1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  for (let count = 0; count < 4; count += 1) enter(2);
  expect(() => enter(2)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  expect(inside).toEqual([1, 1]);
});
