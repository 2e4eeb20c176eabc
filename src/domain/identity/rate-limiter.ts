import { LONGEST_QUESTION_MS, type Take, WINDOW_SECONDS } from './rate-limit-store.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;
/** A lease is a share of what is left, so that leases shrink as the limit nears … */
const SHARE = 8;
/** … and no more than the process has served itself, or this, so that little lies idle where a caller moves to another. */
const FIRST_LEASE = 8;
/** Milliseconds that a request waits for leases, of which others may take the last units again and again. */
const LONGEST_WAIT_MS = 2_000;
/** For so many milliseconds after a failure the database is not asked. */
const AWAY_MS = 2_000;

export interface Verdict {
  served: boolean;
  /** What this process has in hand and what the database had when it was last asked: exact where one process serves the key. */
  remaining: number;
  endsInMs: number;
}

/** Counts requests by key, up to so many in a window over all processes. */
export interface Counts {
  /** At once where a lease is in hand or nothing is left; else the database is asked for another lease. Never rejects. */
  spend(key: string): Verdict | Promise<Verdict>;
}

/** What this process knows of a key in the window that runs. */
interface Count {
  begunAt: number;
  endsAt: number;
  served: number;
  /** Units of the lease that are not spent yet. */
  inHand: number;
  /** Units that were left in the database, when it was last asked. */
  beyond: number;
  /** Units that were served while it did not answer, and are still to be taken. */
  owed: number;
  /** Whether a lease came; all requests of a key wait for one question. */
  asking: Promise<boolean> | null;
}

/**
 * @param points how many may be served in a window
 * @param clock milliseconds, never set back
 */
export function createCounts(points: number, take: Take, clock = () => performance.now()): Counts {
  const recall = createMemory(points);
  const leases = createLeases(points, take, clock);

  async function wait(key: string, count: Count): Promise<Verdict> {
    const patientUntil = clock() + LONGEST_WAIT_MS;
    while (count.inHand === 0 && count.beyond > 0) {
      const now = clock();
      if (leases.away(now) || now > patientUntil) return serveAlone(count, now);
      count.asking ??= leases.ask(key, count);
      if (!(await count.asking)) return serveAlone(count, clock());
    }
    return serve(count, clock());
  }

  return {
    spend(key) {
      const now = clock();
      const count = recall(key, now);
      return count.inHand > 0 || count.beyond === 0 ? serve(count, now) : wait(key, count);
    },
  };
}

/** Finds the count of a key, and begins a new one where its window is over. */
function createMemory(points: number) {
  const counts = new Map<string, Count>();
  return (key: string, now: number): Count => {
    const known = counts.get(key);
    if (known && now < known.endsAt) return known;
    for (const [old, { begunAt }] of counts) {
      if (now - begunAt < 2 * WINDOW_MS) break;
      counts.delete(old);
    }
    counts.delete(key);
    const count = { begunAt: now, endsAt: now + WINDOW_MS, served: 0, inHand: 0, beyond: points, owed: 0, asking: null };
    counts.set(key, count);
    return count;
  };
}

/** Takes leases; after a failure, none for a while. */
function createLeases(points: number, take: Take, clock: () => number) {
  let awayUntil = Number.NEGATIVE_INFINITY;

  async function lease(key: string, count: Count): Promise<void> {
    const { owed } = count;
    const units = Math.min(Math.ceil(count.beyond / SHARE), Math.max(FIRST_LEASE, count.served));
    // From before the question, so that the window ends here a moment before it ends in the database, never after.
    const asked = clock();
    const { taken, endsInMs } = await take(key, units + owed);
    count.endsAt = asked + endsInMs;
    count.inHand += Math.max(0, Math.min(units, points - (taken - units)));
    count.owed -= owed;
    count.beyond = Math.max(0, points - taken - count.owed);
  }

  return {
    away: (now: number): boolean => now < awayUntil,
    async ask(key: string, count: Count): Promise<boolean> {
      const came = await inTime(lease(key, count));
      if (!came) awayUntil = clock() + AWAY_MS;
      count.asking = null;
      return came;
    },
  };
}

/** Out of the lease. */
function serve(count: Count, now: number): Verdict {
  const served = count.inHand > 0;
  if (served) {
    count.inHand -= 1;
    count.served += 1;
  }
  return { served, remaining: count.inHand + count.beyond, endsInMs: count.endsAt - now };
}

/** Out of what the database had left when it last answered. */
function serveAlone(count: Count, now: number): Verdict {
  if (count.inHand > 0 || count.beyond === 0) return serve(count, now);
  count.beyond -= 1;
  count.owed += 1;
  count.served += 1;
  return { served: true, remaining: count.beyond, endsInMs: count.endsAt - now };
}

/** Whether it succeeds in time. */
function inTime(work: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), LONGEST_QUESTION_MS);
    const settle = (came: boolean) => {
      clearTimeout(timer);
      resolve(came);
    };
    work.then(
      () => settle(true),
      () => settle(false),
    );
  });
}
