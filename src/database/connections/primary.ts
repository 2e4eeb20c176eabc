import pg from 'pg';
import { seeksPrimary, splitServers } from '../../config/database-address.ts';
import { singleConnection } from './single-connection.ts';

/** Milliseconds in which a server says whether it takes writes. */
const ANSWER_WITHIN_MS = 1_500;
/** Milliseconds that the others have after the first one that takes writes: one of them may have been promoted after it. */
const OTHERS_WITHIN_MS = 250;
/** Milliseconds for which a found primary is not looked for again. */
const KNOWN_FOR_MS = 1_000;

interface Server {
  host: string;
  port: number;
}

/** A server that takes writes. Each promotion begins a new timeline, with a higher number. */
interface Primary extends Server {
  timeline: number;
}

/** Of a standby, null. */
const TIMELINE = `
  SELECT CASE WHEN pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean THEN NULL
              ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::float END AS timeline`;

type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * The class of connections to an address of several servers, which find the one that takes writes whenever one is opened; undefined for an
 * address of one server. A former primary that comes back as it was is not taken again: what it was never told would be lost.
 * @param config of the probes
 */
export function primaryClient(url: string, config: pg.ClientConfig): typeof pg.Client | undefined {
  if (!seeksPrimary(url)) return undefined;
  const finder = finders.get(url) ?? createFinder(splitServers(url), config);
  finders.set(url, finder);
  return class extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      connected.then(
        () => Reflect.apply(callback, undefined, [null, this]),
        (error: unknown) => Reflect.apply(callback, undefined, [error]),
      );
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      const { host, port } = await finder.find();
      Object.assign(this, { host, port });
      await super.connect();
      try {
        finder.accept(await readTimeline(this));
        return this;
      } catch (error) {
        void this.end().catch(() => {});
        throw error;
      }
    }
  };
}

/** All pools of a process know what one of them has found. */
const finders = new Map<string, ReturnType<typeof createFinder>>();

function createFinder(urls: readonly string[], config: pg.ClientConfig) {
  let newest = 0;
  let known: { primary: Primary; at: number } | undefined;
  let looking: Promise<Primary> | undefined;

  function accept(timeline: number | null): number {
    if (timeline === null) throw unavailable('it is a standby');
    if (timeline < newest) throw unavailable(`it is a former primary: its timeline is ${timeline}, and that of a later one ${newest}`);
    newest = timeline;
    return timeline;
  }

  async function look(): Promise<Primary> {
    const { primaries, reasons } = await ask(urls, config);
    const [primary] = primaries.sort((one, other) => other.timeline - one.timeline);
    if (!primary) throw unavailable(`none of its servers accepts writes: ${reasons.join('; ')}`);
    accept(primary.timeline);
    known = { primary, at: performance.now() };
    return primary;
  }

  return {
    /** @throws Error as PostgreSQL has it while it cannot take connections, where none of the servers takes writes */
    async find(): Promise<Primary> {
      if (known && performance.now() - known.at < KNOWN_FOR_MS) return known.primary;
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    /** @throws Error for a connection that leads to a standby after all, or to a former primary */
    accept,
  };
}

/** Asks all servers at once: one that is gone without a word costs no time. */
async function ask(urls: readonly string[], config: pg.ClientConfig): Promise<{ primaries: Primary[]; reasons: string[] }> {
  const primaries: Primary[] = [];
  const reasons: string[] = [];
  const enough = Promise.withResolvers<void>();
  const answers = urls.map(async (url) => {
    const answer = await probe({ ...config, connectionString: url });
    if (typeof answer === 'string') return void reasons.push(answer);
    primaries.push(answer);
    setTimeout(enough.resolve, OTHERS_WITHIN_MS);
  });
  await Promise.race([Promise.all(answers), enough.promise]);
  return { primaries, reasons };
}

/** @returns the server where it takes writes, else the reason why not */
async function probe(config: pg.ClientConfig): Promise<Primary | string> {
  const client = singleConnection({ ...config, connectionTimeoutMillis: ANSWER_WITHIN_MS, query_timeout: ANSWER_WITHIN_MS });
  const { host, port } = client;
  try {
    await client.connect();
    const timeline = await readTimeline(client);
    return timeline === null ? `${host}:${port} is a standby` : { host, port, timeline };
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'it does not respond';
    return `${host}:${port}: ${reason}`;
  } finally {
    void client.end().catch(() => {});
  }
}

async function readTimeline(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ timeline: number | null }>(TIMELINE);
  return rows[0]?.timeline ?? null;
}

/** The error of a PostgreSQL that takes no connections yet: callers hear 503, and may try again. */
function unavailable(reason: string): Error {
  const message = `the database cannot be written to now: ${reason}`;
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { severity: 'FATAL', code: '57P03' });
}
