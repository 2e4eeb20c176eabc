import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { type PresenceHeartbeat, recordHeartbeats } from '../../domain/telehealth/presence/presence-heartbeats.ts';

/** Milliseconds between two heartbeats. Each is one statement for all connections of the process. */
const INTERVAL_MS = 5_000;

/** A connection whose person is kept present by heartbeats. */
export interface PresentConnection {
  /** The row to update, and when the browser last sent something. */
  heartbeat(): PresenceHeartbeat;
  /** Called when the database has this person as gone, or as connected elsewhere. */
  onStale(): void;
  /** Called after each heartbeat. */
  onTick(): void;
}

export interface Heartbeat {
  /** @returns a function that removes the connection */
  add(connection: PresentConnection): () => void;
  stop(): Promise<void>;
}

/** Keeps the people present who are connected to this process. */
export function startHeartbeat({ prisma }: Database, logger: Pick<Logger, 'warn'>): Heartbeat {
  const connections = new Set<PresentConnection>();
  let running: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    const beats = [...connections].map((connection) => ({ connection, heartbeat: connection.heartbeat() }));
    if (beats.length === 0) return;
    const stale = await recordHeartbeats(
      prisma,
      beats.map(({ heartbeat }) => heartbeat),
    );
    // One that closed meanwhile must not enter again.
    for (const { connection, heartbeat } of beats.filter((one) => connections.has(one.connection))) {
      if (stale.has(heartbeat.connection)) connection.onStale();
      connection.onTick();
    }
  }

  const timer = setInterval(() => {
    running = running.then(beat).catch((err: unknown) => logger.warn({ err }, 'the presence of people in rooms cannot be noted'));
  }, INTERVAL_MS);
  timer.unref();
  return {
    add(connection) {
      connections.add(connection);
      return () => void connections.delete(connection);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
