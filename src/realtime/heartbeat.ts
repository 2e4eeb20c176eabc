import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { type PresenceHeartbeat, recordHeartbeats } from '../domain/telehealth/presence-heartbeats.ts';

/** What is heard of people is noted so often, for all of them in one statement. */
const BEAT_MS = 5_000;

/** A connection, as far as it is kept alive. */
export interface Alive {
  /** When its person was last heard of. */
  heard(): PresenceHeartbeat;
  /** The record has its person as gone, or as connected elsewhere. */
  doubted(): void;
  /** At each beat. */
  tick(): void;
}

export interface Beating {
  /** @returns how to stop */
  keep(one: Alive): () => void;
  stop(): Promise<void>;
}

/** Keeps those alive who are connected to this process. */
export function startBeating({ prisma }: Database, logger: Pick<Logger, 'warn'>): Beating {
  const alive = new Set<Alive>();
  let running: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    const those = [...alive].map((one) => ({ one, heard: one.heard() }));
    if (those.length === 0) return;
    const doubted = await recordHeartbeats(
      prisma,
      those.map(({ heard }) => heard),
    );
    for (const { one, heard } of those) {
      if (doubted.has(heard.connection)) one.doubted();
      one.tick();
    }
  }

  const timer = setInterval(() => {
    running = running.then(beat).catch((err: unknown) => logger.warn({ err }, 'the presence of people in rooms cannot be noted'));
  }, BEAT_MS);
  timer.unref();
  return {
    keep(one) {
      alive.add(one);
      return () => void alive.delete(one);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
