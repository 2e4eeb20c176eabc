import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/keyring.ts';
import type { ChainHead } from '../../src/domain/audit/chain-links.ts';
import { recordChange, recordRead } from '../../src/domain/audit/journal-entries.ts';
import { verifyChain } from '../../src/domain/audit/verify-chain.ts';
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
export async function sealUntil(database: Database, organizationId: number, links: number, keys = keyring): Promise<ChainHead> {
  const heads: ChainHead[] = [];
  const logger = {
    info: (head: { position: number; hash: string }) => void heads.push({ position: BigInt(head.position), hash: head.hash }),
  };
  while ((await database.prisma.auditLink.count({ where: { organizationId } })) < links) await sealAudit(database, keys, logger);
  const head = heads.at(-1);
  if (!head) throw new Error('nothing was sealed');
  return head;
}

/** An organization with a sealed log of so many reads and changes, and the ids of its entries in order. */
export async function newChain(count = 6, changes = 0) {
  const { url, database } = await newDatabase();
  const { id: organizationId } = await createOrganization(database.prisma);
  await writeEntries(database, organizationId, count);
  for (let change = 0; change < changes; change += 1) await writeChange(database, organizationId);
  const head = await sealUntil(database, organizationId, count + changes);
  const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const ids = entries.map(({ id }) => id);
  return {
    url,
    database,
    organizationId,
    head,
    ids,
    verify: (expected?: ChainHead) => verifyChain(database.prisma, keyring, organizationId, expected && [expected]),
    /** Changes the log as the superuser of the database server can. */
    tamper: (sql: string) => runWithoutTriggers(url, sql),
  };
}

/** Writes a change, with its event and its audit entry. */
export const writeChange = (database: Database, organizationId: number): Promise<void> =>
  createUnitOfWork(database).write(operator(organizationId, 'test'), async (_db, caller) =>
    recordChange(caller, 'update', { name: 'organization.updated', id: organizationId }),
  );

/** Seals until a chain is refused. @returns what the log says of it */
export async function refusals(database: Database): Promise<string[]> {
  const reasons: string[] = [];
  const logger = { info: () => {}, error: ({ reason }: { reason: string }) => void reasons.push(reason) };
  while (reasons.length === 0) await sealAudit(database, keyring, logger).catch(() => {});
  return reasons;
}

/** Gives the first entry of a chain the link that it had before heads were kept. */
export async function sealInFirstForm(database: Database, organizationId: number, tamper: (sql: string) => Promise<void>): Promise<void> {
  const entry = await database.prisma.auditEntry.findFirstOrThrow({ where: { organizationId } });
  const { actor, action, resource, operation, requestId, address, detail } = entry;
  const columns = [organizationId, String(entry.id), String(entry.transactionId), entry.at.toISOString(), actor, action, resource];
  const written = JSON.stringify([...columns, entry.resourceIds.map(Number), operation, requestId, address, detail]);
  const hash = keyring.mac('audit-chain', Buffer.concat([Buffer.alloc(32), Buffer.from(`1 ${written}`)])).toString('hex');
  await tamper(`DELETE FROM audit_head; DELETE FROM audit_roll; UPDATE audit_link SET form = 1, hash = decode('${hash}', 'hex')`);
}
