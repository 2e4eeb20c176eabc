import { expect, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { inDbTransaction } from '../../src/database/transaction.ts';
import type { ChainHead } from '../../src/domain/audit/chain/chain-links.ts';
import { type ChainReport, verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { recordChange, recordRead } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { closedAfterAll, createTestDatabase } from '../support/app.ts';
import { asSuperuser, runWithoutTriggers } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { forTests } from '../support/sent-statements.ts';

export const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]);

interface Place {
  url: string;
  database: Database;
}

/** A database of a test's own, closed at its end. */
export async function newDatabase(): Promise<Place> {
  const url = await createTestDatabase();
  const database = openDatabase({ url, poolSize: 4 });
  onTestFinished(() => database.close());
  return { url, database };
}

/** A database that the tests of a file share. */
export async function fileDatabase(): Promise<Place> {
  const url = await createTestDatabase();
  return { url, database: await closedAfterAll(openDatabase({ url, poolSize: 4 })) };
}

/** Writes audit entries of an organization, about charts 1, 2, 3 … @param from the first of the charts */
export async function writeEntries(database: Database, organizationId: number, count: number, from = 1): Promise<void> {
  const unitOfWork = createUnitOfWork(database);
  for (let chart = from; chart < from + count; chart += 1) {
    await unitOfWork.read(operator(organizationId, 'test'), async (tx) => recordRead(tx, 'patient', [chart]));
  }
}

/** Seals until so many entries are sealed, as other transactions of the cluster may hold some back for a moment. */
export async function sealUntil(database: Database, organizationId: number, links: number, keys = keyring): Promise<ChainHead> {
  const heads: ChainHead[] = [];
  const logger = {
    info: (head: { position: number; hash: string }) => void heads.push({ position: BigInt(head.position), hash: head.hash }),
  };
  while ((await sealedEntries(database, organizationId)) < links) await sealAudit(database, keys, logger);
  const head = heads.at(-1);
  if (!head) throw new Error('nothing was sealed');
  return head;
}

/** Entries that the chain of an organization has. */
export async function sealedEntries({ prisma }: Database, organizationId: number): Promise<number> {
  const newest = await prisma.auditLink.findFirst({ where: { organizationId }, orderBy: { position: 'desc' } });
  return Number(newest?.position ?? 0);
}

/** Waits until nothing holds the entries back that were written: they are sealed together. */
export async function untilSealable({ pool }: Database): Promise<void> {
  const sealable = async () => {
    const { rows } = await pool.query('SELECT max(transaction_id) < log_horizon() AS sealable FROM audit_entry');
    return rows[0].sealable !== false;
  };
  while (!(await sealable()));
}

type Links = 'a link each' | 'one link';

/**
 * An organization with a sealed log of so many reads and changes, and the ids of its entries in order. Each has a link of its own,
 * or all have one together.
 */
export async function newChain(count = 6, changes = 0, links: Links = 'a link each', place?: Place) {
  const { url, database } = place ?? (await newDatabase());
  const chain = await sealedChain(database, count, changes, links);
  return {
    ...chain,
    url,
    verify: (expected?: ChainHead) => verifyChain(database.prisma, keyring, chain.organizationId, expected && [expected]),
    /** Changes the log as the superuser of the database server can. */
    tamper: (sql: string) => runWithoutTriggers(url, sql),
  };
}

/** A sealed log of six reads that the tests of a file share: what a superuser changes in it is verified, and undone. */
export async function standingChain(links: Links) {
  const { url, database } = await fileDatabase();
  const superuser = await closedAfterAll(openDatabase({ url: asSuperuser(url), poolSize: 1 }));
  const chain = await sealedChain(database, 6, 0, links);
  return {
    ...chain,
    async changedBy(...statements: string[]): Promise<ChainReport> {
      const reports: ChainReport[] = [];
      const undone = new Error('undone');
      const change = inDbTransaction(
        superuser,
        async ({ db }) => {
          for (const sql of ['SET LOCAL session_replication_role = replica', ...statements]) await forTests(db).$executeRawUnsafe(sql);
          reports.push(await verifyChain(db, keyring, chain.organizationId));
          throw undone;
        },
        { timeout: 60_000 },
      );
      await expect(change).rejects.toBe(undone);
      const [report] = reports;
      if (!report) throw new Error('nothing was verified');
      return report;
    },
  };
}

async function sealedChain(database: Database, count: number, changes: number, links: Links) {
  const { id: organizationId } = await createOrganization(database.prisma);
  let head: ChainHead = { position: 0n, hash: '' };
  for (let entry = 1; entry <= count + changes; entry += 1) {
    if (entry > count) await writeChange(database, organizationId);
    else await writeEntries(database, organizationId, 1, entry);
    if (links === 'a link each') head = await sealUntil(database, organizationId, entry);
  }
  await untilSealable(database);
  if (links === 'one link') head = await sealUntil(database, organizationId, count + changes);
  const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  return { database, organizationId, head, ids: entries.map(({ id }) => id) };
}

/** Writes a change, with its event and its audit entry. */
export const writeChange = (database: Database, organizationId: number): Promise<void> =>
  createUnitOfWork(database).write(operator(organizationId, 'test'), async (tx) =>
    recordChange(tx, 'update', { name: 'organization.updated', id: organizationId }),
  );

/** Seals until a chain is refused. @returns what the log says of it */
export async function refusals(database: Database): Promise<string[]> {
  const reasons: string[] = [];
  const logger = { info: () => {}, error: ({ reason }: { reason: string }) => void reasons.push(reason) };
  while (reasons.length === 0) await sealAudit(database, keyring, logger).catch(() => {});
  return reasons;
}
