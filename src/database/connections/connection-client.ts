import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import type { Send } from '../statements/statement.ts';

/** The connection on which Prisma is to begin its next transaction. Its adapter reads this (safe-integers.ts). */
export const handedOver = new AsyncLocalStorage<pg.PoolClient>();

const senders = new WeakMap<pg.PoolClient, Send>();

/** Lets a transaction send the statements of Prisma on its connection. @returns ends that */
export function sendThrough(client: pg.PoolClient, send: Send): () => void {
  senders.set(client, send);
  return () => void senders.delete(client);
}

/** Sends a statement of Prisma on the connection of a transaction. @throws Error after the transaction has ended */
export function sendOn<T>(client: pg.PoolClient, statement: () => Promise<T>): Promise<T> {
  const send = senders.get(client);
  if (!send) throw new Error('a statement was sent after its transaction had ended');
  return send(statement);
}

/** The longest timer of Node: 24 days. The pool closes a connection long before (database.ts). */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Gives Prisma on one connection of the pool. As long as the connection is open, so is one interactive transaction of Prisma, which sends
 * neither BEGIN nor COMMIT: transaction.ts does. To begin one for each write would cost as much as its statements.
 */
export function createConnectionClients(prisma: PrismaClient): (client: pg.PoolClient) => Promise<Prisma.TransactionClient> {
  const known = new WeakMap<pg.PoolClient, Promise<Prisma.TransactionClient>>();

  function open(client: pg.PoolClient): Promise<Prisma.TransactionClient> {
    const ended = Promise.withResolvers<void>();
    client.once('end', ended.resolve);
    const opened = Promise.withResolvers<Prisma.TransactionClient>();
    const keepOpen = async (db: Prisma.TransactionClient) => {
      opened.resolve(db);
      await ended.promise;
    };
    handedOver
      .run(client, () => prisma.$transaction(keepOpen, { timeout: LONGEST_MS }))
      .catch((error: unknown) => {
        known.delete(client);
        opened.reject(error);
      });
    known.set(client, opened.promise);
    return opened.promise;
  }

  return (client) => known.get(client) ?? open(client);
}
