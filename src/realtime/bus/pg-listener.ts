import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { singleConnection } from '../../database/connections/single-connection.ts';
import { connectionOptions } from '../../database/database.ts';
import { SIGNAL_CHANNEL, type SignalReference } from '../../domain/telehealth/sessions/signals.ts';

/** Milliseconds between two probes of the listening connection. */
const PROBE_INTERVAL_MS = 10_000;
/** Milliseconds that a statement on it may take. */
const STATEMENT_TIMEOUT_MS = 4_000;
/** Milliseconds between attempts to connect again: the pause doubles from the first to the longest. */
const RETRY_PAUSE_MS = { first: 200, longest: 3_000 } as const;

interface PgListenerOptions {
  /** Reads the signals that were sent while there was no connection. */
  catchUp: () => Promise<void>;
  onSignals: (references: SignalReference[]) => void;
  logger: Pick<Logger, 'warn'>;
}

/** One connection that listens for signals, opened for the first room and opened again when it is lost. */
export function createPgListener(url: string, options: PgListenerOptions) {
  let listening: Promise<pg.Client> | null = null;
  let closed = false;
  let reconnecting = false;

  async function ready(): Promise<void> {
    if (closed) throw new Error('the rooms are closed');
    const attempt = listening ?? connectListener(url, options, reconnect);
    listening = attempt;
    await attempt.catch((error: unknown) => {
      if (listening === attempt) listening = null;
      throw error;
    });
  }

  async function reconnect(lost: pg.Client): Promise<void> {
    const current = await listening?.catch(() => null);
    if (closed || reconnecting || current !== lost) return;
    reconnecting = true;
    listening = null;
    options.logger.warn('the connection that listens for signals was lost; reconnecting');
    for (let pause: number = RETRY_PAUSE_MS.first; !closed && listening === null; pause = Math.min(pause * 2, RETRY_PAUSE_MS.longest)) {
      await sleep(pause, undefined, { ref: false });
      await ready().catch(() => {});
    }
    reconnecting = false;
  }

  // A connection that was cut without a FIN only fails when something is sent on it.
  const probe = setInterval(() => {
    void listening?.then((client) => client.query('SELECT 1').catch(() => client.end())).catch(() => {});
  }, PROBE_INTERVAL_MS);
  probe.unref();

  return {
    /** Resolves when this process listens. @throws Error where the database cannot be reached */
    ready,
    async close(): Promise<void> {
      closed = true;
      clearInterval(probe);
      const client = await listening?.catch(() => null);
      await client?.end().catch(() => {});
    },
  };
}

async function connectListener(
  url: string,
  { catchUp, onSignals }: PgListenerOptions,
  onEnd: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  // The name tells it apart from the connections of the pool in pg_stat_activity.
  const client = singleConnection({ ...connectionOptions(url, STATEMENT_TIMEOUT_MS), application_name: 'triptych rooms' });
  client.once('end', () => void onEnd(client));
  client.on('notification', ({ payload = '' }) => onSignals(parseReferences(payload)));
  try {
    await client.connect();
    await client.query(`LISTEN ${SIGNAL_CHANNEL}`);
    await catchUp();
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}

/** @param payload `organization address id`, several of them with commas between */
function parseReferences(payload: string): SignalReference[] {
  return payload.split(',').flatMap((part) => {
    const [organization = '', address = '', id = ''] = part.split(' ');
    return /^\d+$/.test(id) ? [{ organizationId: Number(organization), address, id: Number(id) }] : [];
  });
}
