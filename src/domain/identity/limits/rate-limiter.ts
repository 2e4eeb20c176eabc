import { QUERY_TIMEOUT_MS, type TakeUnits, WINDOW_SECONDS } from './rate-limit-store.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;
/** A lease is this fraction of the remaining units, so leases shrink as the limit comes closer. */
const SHARE = 8;
/** A lease has at most as many units as the process has served, or this many: few units idle when a caller changes processes. */
const FIRST_LEASE = 8;
/** Milliseconds that a request waits for leases; other requests may use up each of them first. */
const LONGEST_WAIT_MS = 2_000;
/** Milliseconds after a failure during which the store is not queried. */
const BACKOFF_MS = 2_000;

export interface RateLimitDecision {
  allowed: boolean;
  /** Leased units and those that the store had at the last query: exact if one process serves the key. */
  remaining: number;
  /** Milliseconds until the window ends. */
  resetsInMs: number;
}

/** Limits the requests of each key in a window, counted over all processes. */
export interface RateLimiter {
  /** Synchronous while leased units or no units remain; otherwise it takes another lease from the store. Never rejects. */
  consume(key: string): RateLimitDecision | Promise<RateLimitDecision>;
}

/** The state of one key in the current window, in this process. */
interface Window {
  startedAt: number;
  endsAt: number;
  served: number;
  /** Leased units that are not used yet. */
  leased: number;
  /** Units that the store had left at the last query. */
  inStore: number;
  /** Units that were used while the store was unavailable, to be taken with the next lease. */
  owed: number;
  /** The query in progress, shared by all requests of the key: whether it succeeded. */
  pendingLease: Promise<boolean> | null;
}

/** @param points requests of one key in a window @param clock milliseconds, monotonic */
export function createRateLimiter(points: number, take: TakeUnits, clock = () => performance.now()): RateLimiter {
  const windows = createWindows(points);
  const leases = createLeases(points, take, clock);

  async function wait(key: string, window: Window): Promise<RateLimitDecision> {
    const deadline = clock() + LONGEST_WAIT_MS;
    while (window.leased === 0 && window.inStore > 0) {
      const now = clock();
      if (leases.suspended(now) || now > deadline) return useWithoutLease(window, now);
      window.pendingLease ??= leases.request(key, window);
      if (!(await window.pendingLease)) return useWithoutLease(window, clock());
    }
    return useLease(window, clock());
  }

  return {
    consume(key) {
      const now = clock();
      const window = windows(key, now);
      return window.leased > 0 || window.inStore === 0 ? useLease(window, now) : wait(key, window);
    },
  };
}

/** Finds the current window of a key, or starts a new one. */
function createWindows(points: number) {
  const windows = new Map<string, Window>();
  return (key: string, now: number): Window => {
    const known = windows.get(key);
    if (known && now < known.endsAt) return known;
    for (const [old, { startedAt }] of windows) {
      if (now - startedAt < 2 * WINDOW_MS) break;
      windows.delete(old);
    }
    windows.delete(key);
    const window = { startedAt: now, endsAt: now + WINDOW_MS, served: 0, leased: 0, inStore: points, owed: 0, pendingLease: null };
    windows.set(key, window);
    return window;
  };
}

/** Takes leases from the store; after a failure, none for a while. */
function createLeases(points: number, take: TakeUnits, clock: () => number) {
  let suspendedUntil = Number.NEGATIVE_INFINITY;

  async function lease(key: string, window: Window): Promise<void> {
    const { owed } = window;
    const units = Math.min(Math.ceil(window.inStore / SHARE), Math.max(FIRST_LEASE, window.served));
    // Measured before the query, so that the window ends here slightly before it ends in the database, never after.
    const sentAt = clock();
    const { taken, resetsInMs } = await take(key, units + owed);
    window.endsAt = sentAt + resetsInMs;
    window.leased += Math.max(0, Math.min(units, points - (taken - units)));
    window.owed -= owed;
    window.inStore = Math.max(0, points - taken - window.owed);
  }

  return {
    suspended: (now: number): boolean => now < suspendedUntil,
    async request(key: string, window: Window): Promise<boolean> {
      const succeeded = await succeedsInTime(lease(key, window));
      if (!succeeded) suspendedUntil = clock() + BACKOFF_MS;
      window.pendingLease = null;
      return succeeded;
    },
  };
}

/** Uses a leased unit, if there is one. */
function useLease(window: Window, now: number): RateLimitDecision {
  const allowed = window.leased > 0;
  if (allowed) {
    window.leased -= 1;
    window.served += 1;
  }
  return { allowed, remaining: window.leased + window.inStore, resetsInMs: window.endsAt - now };
}

/** Uses a unit without the store, out of those that it had left at the last query. */
function useWithoutLease(window: Window, now: number): RateLimitDecision {
  if (window.leased > 0 || window.inStore === 0) return useLease(window, now);
  window.inStore -= 1;
  window.owed += 1;
  window.served += 1;
  return { allowed: true, remaining: window.inStore, resetsInMs: window.endsAt - now };
}

/** Whether the work succeeds before the timeout of a query. */
function succeedsInTime(work: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), QUERY_TIMEOUT_MS);
    const settle = (succeeded: boolean) => {
      clearTimeout(timer);
      resolve(succeeded);
    };
    work.then(
      () => settle(true),
      () => settle(false),
    );
  });
}
