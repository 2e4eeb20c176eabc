import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/keyring.ts';
import { type ChainHead, verifyChain } from '../../src/domain/audit/audit-chain.ts';
import { recordRead } from '../../src/domain/audit/journal-entries.ts';
import { operator } from '../../src/domain/caller.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { sealAudit } from '../../src/jobs/seal-audit.ts';
import { createTestDatabase } from '../support/app.ts';
import { runWithoutTriggers } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';

export const keyring = createKeyring([{ id: 'test', key: Buffer.alloc(32, 7) }]);

/** A database of a test's own, closed at its end. */
export async function newDatabase(): Promise<{ url: string; database: Database }> {
  const url = await createTestDatabase();
  const database = openDatabase({ url, poolSize: 4 });
  onTestFinished(() => database.close());
  return { url, database };
}

/** Writes audit entries of an organization, about charts 1, 2, 3 … */
export async function writeEntries(database: Database, organizationId: number, count: number): Promise<void> {
  const unitOfWork = createUnitOfWork(database);
  for (let chart = 1; chart <= count; chart += 1) {
    await unitOfWork.read(operator(organizationId, 'test'), async (_db, caller) => recordRead(caller, 'patient', [chart]));
  }
}

/** Seals until so many entries have a link, as other transactions of the cluster may hold some back for a moment. */
export async function sealUntil(database: Database, organizationId: number, links: number): Promise<ChainHead> {
  const heads: ChainHead[] = [];
  const logger = {
    info: (head: { position: number; hash: string }) => void heads.push({ position: BigInt(head.position), hash: head.hash }),
  };
  while ((await database.prisma.auditLink.count({ where: { organizationId } })) < links) await sealAudit(database, keyring, logger);
  const head = heads.at(-1);
  if (!head) throw new Error('nothing was sealed');
  return head;
}

/** An organization with a sealed log, and the ids of its entries in order. */
export async function newChain(count = 6) {
  const { url, database } = await newDatabase();
  const { id: organizationId } = await createOrganization(database.prisma);
  await writeEntries(database, organizationId, count);
  const head = await sealUntil(database, organizationId, count);
  const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const ids = entries.map(({ id }) => id);
  return {
    database,
    organizationId,
    head,
    ids,
    verify: (expected?: ChainHead) => verifyChain(database.prisma, keyring, organizationId, expected),
    /** Changes the log as the superuser of the database server can. */
    tamper: (sql: string) => runWithoutTriggers(url, sql),
  };
}
