import pg from 'pg';

/** Waits for a connection, since the pool was made. */
interface Waits {
  count: number;
  seconds: number;
}

type OnConnection = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/** A pool that counts how often, and for how long, somebody waited for a connection: for a free one, or until a new one was open. */
export class WatchedPool extends pg.Pool {
  readonly waits: Waits = { count: 0, seconds: 0 };

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: OnConnection): void;
  override connect(callback?: OnConnection): Promise<pg.PoolClient> | undefined {
    const isFree = this.idleCount > this.waitingCount;
    if (!callback) return isFree ? super.connect() : super.connect().finally(this.#beginWait());
    const end = isFree ? undefined : this.#beginWait();
    super.connect((...result) => {
      end?.();
      callback(...result);
    });
    return undefined;
  }

  /** @returns ends the wait */
  #beginWait(): () => void {
    const begun = performance.now();
    return () => {
      this.waits.count += 1;
      this.waits.seconds += (performance.now() - begun) / 1000;
    };
  }
}

/** Zeros for a pool that does not count. */
export const connectionWaits = (pool: pg.Pool): Waits => (pool instanceof WatchedPool ? pool.waits : { count: 0, seconds: 0 });
