import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { SIGNAL_CHANNEL, type SignalReference } from '../domain/telehealth/signals.ts';

/** A listening connection that answers no question for so long is dead. */
const LOOK_AFTER_MS = 10_000;
const AGAIN_MS = { first: 200, most: 3_000 } as const;

interface EarOptions {
  /** Reads what was told while nobody listened. */
  catchUp: () => Promise<void>;
  hear: (notes: SignalReference[]) => void;
  logger: Pick<Logger, 'warn'>;
}

/** One connection that listens: made when the first room needs it, and made anew when it is lost. */
export function createEar(options: pg.ClientConfig, deps: EarOptions) {
  let listening: Promise<pg.Client> | null = null;
  let closed = false;
  let mending = false;

  async function ready(): Promise<void> {
    if (closed) throw new Error('the rooms are closed');
    const attempt = listening ?? openEar(options, deps, mend);
    listening = attempt;
    await attempt.catch((error: unknown) => {
      if (listening === attempt) listening = null;
      throw error;
    });
  }

  async function mend(lost: pg.Client): Promise<void> {
    const current = await listening?.catch(() => null);
    if (closed || mending || current !== lost) return;
    mending = true;
    listening = null;
    deps.logger.warn('the connection that hears of signals was lost; it is made anew');
    for (let pause: number = AGAIN_MS.first; !closed && listening === null; pause = Math.min(pause * 2, AGAIN_MS.most)) {
      await sleep(pause, undefined, { ref: false });
      await ready().catch(() => {});
    }
    mending = false;
  }

  // A connection that was cut without a word is noticed by asking.
  const look = setInterval(() => {
    void listening?.then((client) => client.query('SELECT 1').catch(() => client.end())).catch(() => {});
  }, LOOK_AFTER_MS);
  look.unref();

  return {
    ready,
    async close(): Promise<void> {
      closed = true;
      clearInterval(look);
      const client = await listening?.catch(() => null);
      await client?.end().catch(() => {});
    },
  };
}

async function openEar(
  options: pg.ClientConfig,
  { catchUp, hear }: EarOptions,
  onEnd: (client: pg.Client) => Promise<void>,
): Promise<pg.Client> {
  // Named, so that it can be told apart from those of the pool.
  const client = new pg.Client({ ...options, application_name: 'triptych rooms' });
  client.on('error', () => {});
  client.once('end', () => void onEnd(client));
  client.on('notification', ({ payload = '' }) => hear(readNotes(payload)));
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

/** `organization address id`, by commas. */
function readNotes(payload: string): SignalReference[] {
  return payload.split(',').flatMap((part) => {
    const [organization = '', address = '', id = ''] = part.split(' ');
    return /^\d+$/.test(id) ? [{ organizationId: Number(organization), address, id: BigInt(id) }] : [];
  });
}
