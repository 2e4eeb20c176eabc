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
  store(db, notices) {
    for (const [organizationId, mine] of byOrganization(notices)) storeNotices(db, organizationId, mine);
    return () => {};
  },
  sweep: async () => {},
};

/** Notices of commands, which reach servers of both kinds: those with a signal server find them within seconds. */
export const COMMAND_NOTICES: Pick<RoomNotices, 'store'> = {
  store(db, notices) {
    for (const [organizationId, mine] of byOrganization(notices)) storeNotices(db, organizationId, mine, true);
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
    store(tx, notices) {
      const stored = byOrganization(notices).map(
        ([organizationId, mine]) => [organizationId, storeSilently(tx, organizationId, mine)] as const,
      );
      return () => {
        // Those that were not sent stay in their table, and are swept.
        for (const [organizationId, mine] of stored)
          mine
            .then((rows) => send(organizationId, rows))
            .catch((err: unknown) => logger.warn({ err }, 'a notice to a room was not sent yet'));
      };
    },
    async sweep() {
      if (!server.isIdle()) return;
      for (const [organizationId, mine] of byOrganization(await findUnsentNotices(db))) await send(organizationId, mine);
    },
  };
}

/** The notices of each practice, in their order. */
const byOrganization = <T extends NewNotice>(notices: readonly T[]): [organizationId: number, mine: T[]][] => [
  ...Map.groupBy(notices, ({ organizationId }) => organizationId),
];
