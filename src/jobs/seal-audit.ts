import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { statement } from '../database/statement.ts';
import { type ChainHead, organizationsToSeal, sealOrganization } from '../domain/audit/audit-chain.ts';
import { inTransaction } from '../domain/unit-of-work/transaction.ts';

/** First key of the advisory lock of a chain; the second one is the organization's id. */
const CHAIN_LOCK = 7_410_256;
/** Values: both keys of the lock. */
const TAKE_CHAIN = statement<{ taken: boolean }>('audit_take_chain', 'SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS taken');

/**
 * Seals the audit rows of every organization that has new ones, some at a time, each time in a transaction of its own.
 * Any number of processes may do this at once: what one is sealing the others leave alone. A chain that cannot be
 * continued holds up no other.
 * @param logger is told each new head, so that the log bears witness of what the database once held (verifyChain)
 * @throws what was wrong with the first chain that could not be continued, after all others were
 */
export async function sealAudit(database: Database, keyring: Keyring, logger?: Pick<Logger, 'info'>): Promise<void> {
  const failures: unknown[] = [];
  for (const organization of await organizationsToSeal(database.prisma)) {
    try {
      for (
        let head = await sealSome(database, keyring, organization);
        head !== null;
        head = await sealSome(database, keyring, organization)
      ) {
        logger?.info({ organization, position: Number(head.position), hash: head.hash }, 'audit sealed');
      }
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function sealSome({ pool }: Database, keyring: Keyring, organizationId: number): Promise<ChainHead | null> {
  return inTransaction(pool, async (tx) => {
    const [lock] = await tx.rows(TAKE_CHAIN, [CHAIN_LOCK, organizationId]);
    return lock?.taken ? sealOrganization(tx, keyring, organizationId) : null;
  });
}
