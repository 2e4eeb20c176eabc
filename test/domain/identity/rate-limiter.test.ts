import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { type Take, takeFrom } from '../../../src/domain/identity/rate-limit-store.ts';
import { type Counts, createCounts } from '../../../src/domain/identity/rate-limiter.ts';
import { createTestDatabase } from '../../support/app.ts';

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 4 });
});
afterAll(() => database.close());

/** As a process counts on the real database; each has its own way there, and all the same clock, which a test moves. */
function createProcess(limit: number, { take = takeFrom(database.pool), clock = { ms: 0 } }: { take?: Take; clock?: { ms: number } } = {}) {
  const asked: number[] = [];
  const counts = createCounts(
    limit,
    (key, units) => {
      asked.push(units);
      return take(key, units);
    },
    () => clock.ms,
  );
  return { counts, asked };
}

/** How many of so many requests at once are served. */
async function servedOf(times: number, counts: Counts, key: string): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: times }, () => counts.spend(key)));
  return verdicts.filter(({ served }) => served).length;
}

async function untilRefused(counts: Counts, key: string): Promise<number> {
  for (let served = 0; ; served += 1) if (!(await counts.spend(key)).served) return served;
}

/** A minute passes for the database; for a process, by its clock. */
const passMinute = () => database.pool.query("UPDATE request_count SET ends_at = ends_at - interval '60 seconds'");

describe('requests counted by several processes', () => {
  it('are served up to the limit, all of it and never more, in whatever order they come', async () => {
    const burst = fc.record({ process: fc.nat(3), times: fc.integer({ min: 1, max: 12 }) });
    const turns = fc.array(fc.array(burst, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 4 }),
      turns,
      async (limit, size, order) => {
        const key = randomUUID();
        const processes = Array.from({ length: size }, () => createProcess(limit).counts);
        let [served, sent] = [0, 0];
        for (const bursts of order) {
          const each = bursts.map(({ process, times }) => {
            sent += times;
            const counts = processes[process % size];
            return counts ? servedOf(times, counts, key) : 0;
          });
          served += (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
          expect(served).toBeLessThanOrEqual(Math.min(limit, sent));
        }
        for (const counts of processes) served += await untilRefused(counts, key);
        expect(served).toBe(limit);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it('are served to the last, however little is left of what a process believes to be there', async () => {
    for (let others = 24; others <= 35; others += 1) {
      const key = randomUUID();
      const [one, other] = [createProcess(40).counts, createProcess(40).counts];
      await one.spend(key);
      for (let request = 0; request < others; request += 1) await other.spend(key);
      expect(1 + others + (await untilRefused(one, key)) + (await untilRefused(other, key)), `after ${others}`).toBe(40);
    }
  });

  it('are refused by no process before the others hold next to nothing, where they come by turns', async () => {
    for (const limit of [60, 600]) {
      const key = randomUUID();
      const processes = [createProcess(limit).counts, createProcess(limit).counts, createProcess(limit).counts];
      let served = 0;
      for (let turn = 0; ; turn += 1) {
        const verdict = await processes[turn % 3]?.spend(key);
        if (!verdict?.served) break;
        served += 1;
      }
      expect(served).toBeGreaterThanOrEqual(limit - 2);
    }
  });

  it('leave little idle in a process that their sender has left', async () => {
    const key = randomUUID();
    await createProcess(6_000).counts.spend(key);
    expect(await untilRefused(createProcess(6_000).counts, key)).toBe(6_000 - 8);
  });
});

describe('a process that counts', () => {
  it('asks the database a handful of times for what a caller sends in a minute, and at once for all that wait', async () => {
    const [calm, busy, sudden] = [createProcess(6_000), createProcess(6_000), createProcess(6_000)];
    expect(await servedOf(1, calm.counts, randomUUID())).toBe(1);
    expect(calm.asked).toEqual([8]);
    const key = randomUUID();
    for (let request = 0; request < 600; request += 1) await busy.counts.spend(key);
    expect(busy.asked).toEqual([8, 8, 16, 32, 64, 128, 256, 512]);
    expect(await servedOf(100, sudden.counts, randomUUID())).toBe(100);
    expect(sudden.asked).toEqual([8, 8, 16, 32, 64]);
  });

  it('does not wait where it has a lease, and tells exactly what is left where it is the only one', async () => {
    const { counts } = createProcess(100);
    const first = await counts.spend('a caller of one process');
    expect(first).toMatchObject({ served: true, remaining: 99 });
    expect(first.endsInMs).toBeGreaterThan(59_000);
    expect(first.endsInMs).toBeLessThanOrEqual(60_000);
    expect(counts.spend('a caller of one process')).toMatchObject({ served: true, remaining: 98 });
  });

  it('refuses without asking while nothing is left, and serves again in the next minute', async () => {
    const clock = { ms: 0 };
    const key = randomUUID();
    const { counts, asked } = createProcess(3, { clock });
    expect(await untilRefused(counts, key)).toBe(3);
    const before = asked.length;
    expect(counts.spend(key)).toMatchObject({ served: false, remaining: 0 });
    expect(asked).toHaveLength(before);
    clock.ms += 60_000;
    await passMinute();
    expect(await counts.spend(key)).toMatchObject({ served: true, remaining: 2 });
  });

  it('serves nothing of a minute that is over', async () => {
    const clock = { ms: 0 };
    const key = randomUUID();
    const [one, other] = [createProcess(1_000, { clock }), createProcess(1_000, { clock })];
    for (const { counts } of [one, other]) await counts.spend(key);
    clock.ms += 60_000;
    await passMinute();
    expect((await untilRefused(other.counts, key)) + (await untilRefused(one.counts, key))).toBe(1_000);
  });

  it('is not held up by a window that ends far away, as one does after the clock of the database was set back', async () => {
    const key = randomUUID();
    await untilRefused(createProcess(5).counts, key);
    await database.pool.query("UPDATE request_count SET ends_at = ends_at + interval '1 hour' WHERE key = $1", [key]);
    const verdict = await createProcess(5).counts.spend(key);
    expect(verdict).toMatchObject({ served: true, remaining: 4 });
    expect(verdict.endsInMs).toBeLessThanOrEqual(60_000);
  });
});

describe('a process whose database does not answer', () => {
  it('counts for itself, and has the others know once it does', async () => {
    const clock = { ms: 0 };
    const key = randomUUID();
    let away = true;
    const real = takeFrom(database.pool);
    const take: Take = (name, units) => (away ? Promise.reject(new Error('away')) : real(name, units));
    const { counts, asked } = createProcess(20, { take, clock });
    expect(await servedOf(15, counts, key)).toBe(15);
    expect(asked).toHaveLength(1);
    away = false;
    expect(await counts.spend(key), 'it is not asked again at once').toMatchObject({ served: true, remaining: 4 });
    expect(asked).toHaveLength(1);
    clock.ms += 2_000;
    expect(await counts.spend(key)).toMatchObject({ served: true, remaining: 3 });
    expect((await untilRefused(createProcess(20).counts, key)) + (await untilRefused(counts, key))).toBe(3);
  });

  it('serves no more than the limit by itself', async () => {
    const { counts } = createProcess(20, { take: () => Promise.reject(new Error('away')) });
    expect(await servedOf(50, counts, 'a caller of nobody else')).toBe(20);
  });

  it('keeps nobody waiting until an answer would come too late', async () => {
    const { counts } = createProcess(20, { take: () => new Promise(() => {}) });
    const from = performance.now();
    expect(await servedOf(5, counts, 'a caller in a hurry')).toBe(5);
    expect(performance.now() - from).toBeLessThan(5_000);
  });
});
