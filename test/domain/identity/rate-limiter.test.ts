import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { createRateLimitStore, type TakeUnits } from '../../../src/domain/identity/limits/rate-limit-store.ts';
import { createRateLimiter, type RateLimiter } from '../../../src/domain/identity/limits/rate-limiter.ts';
import { createTestDatabase } from '../../support/app.ts';

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 4 });
});
afterAll(() => database.close());

/** As a process limiter on the real database; each has its own way there, and all the same clock, which a test moves. */
function createProcess(
  limit: number,
  { take = createRateLimitStore(database.pool), clock = { ms: 0 } }: { take?: TakeUnits; clock?: { ms: number } } = {},
) {
  const requested: number[] = [];
  const limiter = createRateLimiter(
    limit,
    (key, units) => {
      requested.push(units);
      return take(key, units);
    },
    () => clock.ms,
  );
  return { limiter, requested };
}

/** The number of concurrent requests that are allowed. */
async function countAllowed(times: number, limiter: RateLimiter, key: string): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: times }, () => limiter.consume(key)));
  return decisions.filter(({ allowed }) => allowed).length;
}

async function untilRefused(limiter: RateLimiter, key: string): Promise<number> {
  for (let served = 0; ; served += 1) if (!(await limiter.consume(key)).allowed) return served;
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
        const processes = Array.from({ length: size }, () => createProcess(limit).limiter);
        let [served, sent] = [0, 0];
        for (const bursts of order) {
          const each = bursts.map(({ process, times }) => {
            sent += times;
            const limiter = processes[process % size];
            return limiter ? countAllowed(times, limiter, key) : 0;
          });
          served += (await Promise.all(each)).reduce((sum, one) => sum + one, 0);
          expect(served).toBeLessThanOrEqual(Math.min(limit, sent));
        }
        for (const limiter of processes) served += await untilRefused(limiter, key);
        expect(served).toBe(limit);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it('are served to the last, however little is left of what a process believes to be there', async () => {
    for (let others = 24; others <= 35; others += 1) {
      const key = randomUUID();
      const [one, other] = [createProcess(40).limiter, createProcess(40).limiter];
      await one.consume(key);
      for (let request = 0; request < others; request += 1) await other.consume(key);
      expect(1 + others + (await untilRefused(one, key)) + (await untilRefused(other, key)), `after ${others}`).toBe(40);
    }
  });

  it('are refused by no process before the others hold next to nothing, where they come by turns', async () => {
    for (const limit of [60, 600]) {
      const key = randomUUID();
      const processes = [createProcess(limit).limiter, createProcess(limit).limiter, createProcess(limit).limiter];
      let served = 0;
      for (let turn = 0; ; turn += 1) {
        const decision = await processes[turn % 3]?.consume(key);
        if (!decision?.allowed) break;
        served += 1;
      }
      expect(served).toBeGreaterThanOrEqual(limit - 2);
    }
  });

  it('leave little idle in a process that their sender has left', async () => {
    const key = randomUUID();
    await createProcess(6_000).limiter.consume(key);
    expect(await untilRefused(createProcess(6_000).limiter, key)).toBe(6_000 - 8);
  });
});

describe('a process that limiter', () => {
  it('asks the database a handful of times for what a caller sends in a minute, and at once for all that wait', async () => {
    const [calm, busy, sudden] = [createProcess(6_000), createProcess(6_000), createProcess(6_000)];
    expect(await countAllowed(1, calm.limiter, randomUUID())).toBe(1);
    expect(calm.requested).toEqual([8]);
    const key = randomUUID();
    for (let request = 0; request < 600; request += 1) await busy.limiter.consume(key);
    expect(busy.requested).toEqual([8, 8, 16, 32, 64, 128, 256, 512]);
    expect(await countAllowed(100, sudden.limiter, randomUUID())).toBe(100);
    expect(sudden.requested).toEqual([8, 8, 16, 32, 64]);
  });

  it('does not wait where it has a lease, and tells exactly what is left where it is the only one', async () => {
    const { limiter } = createProcess(100);
    const first = await limiter.consume('a caller of one process');
    expect(first).toMatchObject({ allowed: true, remaining: 99 });
    expect(first.resetsInMs).toBeGreaterThan(59_000);
    expect(first.resetsInMs).toBeLessThanOrEqual(60_000);
    expect(limiter.consume('a caller of one process')).toMatchObject({ allowed: true, remaining: 98 });
  });

  it('refuses without asking while nothing is left, and serves again in the next minute', async () => {
    const clock = { ms: 0 };
    const key = randomUUID();
    const { limiter, requested } = createProcess(3, { clock });
    expect(await untilRefused(limiter, key)).toBe(3);
    const before = requested.length;
    expect(limiter.consume(key)).toMatchObject({ allowed: false, remaining: 0 });
    expect(requested).toHaveLength(before);
    clock.ms += 60_000;
    await passMinute();
    expect(await limiter.consume(key)).toMatchObject({ allowed: true, remaining: 2 });
  });

  it('serves nothing of a minute that is over', async () => {
    const clock = { ms: 0 };
    const key = randomUUID();
    const [one, other] = [createProcess(1_000, { clock }), createProcess(1_000, { clock })];
    for (const { limiter } of [one, other]) await limiter.consume(key);
    clock.ms += 60_000;
    await passMinute();
    expect((await untilRefused(other.limiter, key)) + (await untilRefused(one.limiter, key))).toBe(1_000);
  });
});

describe('a process whose database does not answer', () => {
  it('limiter for itself, and has the others know once it does', async () => {
    const clock = { ms: 0 };
    const key = randomUUID();
    let away = true;
    const real = createRateLimitStore(database.pool);
    const take: TakeUnits = (name, units) => (away ? Promise.reject(new Error('away')) : real(name, units));
    const { limiter, requested } = createProcess(20, { take, clock });
    expect(await countAllowed(15, limiter, key)).toBe(15);
    expect(requested).toHaveLength(1);
    away = false;
    expect(await limiter.consume(key), 'it is not asked again at once').toMatchObject({ allowed: true, remaining: 4 });
    expect(requested).toHaveLength(1);
    clock.ms += 2_000;
    expect(await limiter.consume(key)).toMatchObject({ allowed: true, remaining: 3 });
    expect((await untilRefused(createProcess(20).limiter, key)) + (await untilRefused(limiter, key))).toBe(3);
  });

  it('serves no more than the limit by itself', async () => {
    const { limiter } = createProcess(20, { take: () => Promise.reject(new Error('away')) });
    expect(await countAllowed(50, limiter, 'a caller of nobody else')).toBe(20);
  });

  it('keeps nobody waiting until an answer would come too late', async () => {
    const { limiter } = createProcess(20, { take: () => new Promise(() => {}) });
    const from = performance.now();
    expect(await countAllowed(5, limiter, 'a caller in a hurry')).toBe(5);
    expect(performance.now() - from).toBeLessThan(5_000);
  });
});
