import { describe, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization } from '../support/factories.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { keyring, newChain, newDatabase, sealedEntries, sealUntil, writeEntries } from './chains.ts';

describe('sealing', () => {
  it('makes one unbroken chain when several processes do it at once', async () => {
    const { url, database } = await newDatabase();
    const second = openDatabase({ url, poolSize: 4 });
    onTestFinished(() => second.close());
    const organizations = [await createOrganization(database.prisma), await createOrganization(database.prisma)];
    const written = Promise.all(organizations.map(({ id }) => writeEntries(database, id, 60)));
    let done = false;
    void written.finally(() => {
      done = true;
    });
    while (!done) await Promise.all([database, second, second].map((one) => sealAudit(one, keyring)));
    for (const { id } of organizations) {
      while ((await sealedEntries(database, id)) < 60) await sealAudit(database, keyring);
      expect(await verifyChain(database.prisma, keyring, id)).toMatchObject({ links: 60, unsealed: 0, broken: null });
    }
  });

  it.runIf(isUpkeep)('of one organization is held up by no other, whose chain cannot be continued', async () => {
    const { database, organizationId, tamper } = await newChain(2);
    const { id: other } = await createOrganization(database.prisma);
    await tamper(`UPDATE audit_link SET transaction_id = 0, audit_entry_id = -position, hash = sha256(hash) WHERE position = 2`);
    await writeEntries(database, organizationId, 1);
    await writeEntries(database, other, 1);
    const sealed = async () => (await database.prisma.auditLink.count({ where: { organizationId: other } })) > 0;
    while (!(await sealed())) await sealAudit(database, keyring).catch(() => {});
    await expect(sealAudit(database, keyring)).rejects.toThrow();
  });

  it('passes no late commit over', async () => {
    const { database } = await newDatabase();
    const { id: organizationId } = await createOrganization(database.prisma);
    const links = () => sealedEntries(database, organizationId);
    await writeEntries(database, organizationId, 1);
    const late = await database.pool.connect();
    await late.query('BEGIN');
    await late.query(
      `INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation) VALUES ($1, 'late', 'read', 'patient', '{1}', 'test')`,
      [organizationId],
    );
    await writeEntries(database, organizationId, 3);
    while ((await links()) === 0) await sealAudit(database, keyring);
    await sealAudit(database, keyring);
    expect(await links()).toBe(1);
    await late.query('COMMIT');
    late.release();
    await sealUntil(database, organizationId, 5);
    expect(await verifyChain(database.prisma, keyring, organizationId)).toMatchObject({ links: 5, broken: null });
    const orderBy = [{ transactionId: 'asc' as const }, { id: 'asc' as const }];
    const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy });
    expect(entries.map(({ actor }) => actor === 'late')).toEqual([false, true, false, false, false]);
  });

  it.runIf(isUpkeep)('reads what is new, however many organizations there are and however long their logs', async () => {
    const { url, database } = await newDatabase();
    await database.pool.query(`
      INSERT INTO organization (name, time_zone, updated_at) SELECT 'Practice ' || n, 'America/New_York', now() FROM generate_series(1, 200) AS n;
      INSERT INTO audit_entry (organization_id, transaction_id, actor, action, resource, resource_ids, operation)
        SELECT o.id, n, 'test', 'read', 'patient', '{1}', 'test' FROM organization o, generate_series(1, 50) AS n;
      -- The rows that this reads are counted before the sealer runs, not some time later.
      SELECT pg_stat_force_next_flush();`);
    await sealAudit(database, keyring);
    await runAsOwner(url, 'ANALYZE; SELECT pg_stat_force_next_flush()');
    const { id } = await database.prisma.organization.findFirstOrThrow({ skip: 100 });
    await writeEntries(database, id, 1);
    const readBefore = await rowsRead(database);
    // Counters are written down when a connection ends.
    const sealer = openDatabase({ url, poolSize: 1 });
    await sealAudit(sealer, keyring);
    await sealer.close();
    let readAfter = await rowsRead(database);
    while (readAfter === readBefore) readAfter = await rowsRead(database);
    // One step down an index for each organization and each of the two logs, of 10,000 entries and their links.
    expect(readAfter - readBefore).toBeLessThan(800);
  });
});

/** Rows of the two logs that were looked at since the database was made. */
async function rowsRead({ pool }: Database): Promise<number> {
  const { rows } = await pool.query(`
    SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read
      FROM pg_stat_user_tables WHERE (relname = 'audit_link' OR relname ~ '^audit_entry_(default|[0-9])')`);
  return rows[0].read;
}
