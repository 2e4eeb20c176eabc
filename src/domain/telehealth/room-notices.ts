import type { Logger } from 'pino';
import type { Db } from '../../database/database.ts';
import type { SignalServer } from '../../gateways/signal-server.ts';
import type { NewNotice } from '../journal.ts';
import type { StoreNotices } from '../unit-of-work/unit-of-work.ts';
import { deleteSentNotices, findUnsentNotices, type StoredNotice, storeNotices, storeSilently } from './signals.ts';

/** The way of notices from the transactions that have them to the connections in rooms. */
export interface RoomNotices {
  store: StoreNotices;
  /** Sends what a process stored that ended before it sent it. */
  sweep(): Promise<void>;
}

/** Notices by NOTIFY, which PostgreSQL sends with the commit. */
export const POSTGRES_NOTICES: RoomNotices = {
  async store(tx, notices) {
    await eachOrganization(notices, (organizationId, mine) => storeNotices(tx, organizationId, mine));
    return () => {};
  },
  sweep: async () => {},
};

/** Notices of commands, which reach servers of both kinds: those with a signal server find them within seconds. */
export const COMMAND_NOTICES: Pick<RoomNotices, 'store'> = {
  async store(tx, notices) {
    await eachOrganization(notices, (organizationId, mine) => storeNotices(tx, organizationId, mine, true));
    return () => {};
  },
};

/**
 * Notices through the signal server. A row in the transaction stands for each until the server has it: so none is lost with its process,
 * and none is sent of a transaction that was rolled back.
 */
export function serverNotices(db: Db, server: SignalServer, logger: Pick<Logger, 'warn'>): RoomNotices {
  /** Sent twice, a notice has the same id both times. */
  async function send(organizationId: number, stored: readonly StoredNotice[]): Promise<void> {
    const sending = stored.map(({ id, address, payload }) => server.send({ organizationId, address, payload }, `${organizationId}:${id}`));
    await Promise.all(sending);
    await deleteSentNotices(
      db,
      organizationId,
      stored.map(({ id }) => id),
    );
  }
  return {
    async store(tx, notices) {
      const sends: (() => Promise<void>)[] = [];
      await eachOrganization(notices, async (organizationId, mine) => {
        const stored = await storeSilently(tx, organizationId, mine);
        sends.push(() => send(organizationId, stored));
      });
      return () => {
        // Those that were not sent stay in their table, and are swept.
        for (const one of sends) one().catch((err: unknown) => logger.warn({ err }, 'a notice to a room was not sent yet'));
      };
    },
    async sweep() {
      if (!server.isIdle()) return;
      await eachOrganization(await findUnsentNotices(db), (organizationId, mine) => send(organizationId, mine));
    },
  };
}

/** Does something with the notices of each practice, in their order. */
async function eachOrganization<T extends NewNotice>(
  notices: readonly T[],
  work: (organizationId: number, mine: T[]) => Promise<void>,
): Promise<void> {
  for (const organizationId of new Set(notices.map((notice) => notice.organizationId)))
    await work(
      organizationId,
      notices.filter((notice) => notice.organizationId === organizationId),
    );
}
