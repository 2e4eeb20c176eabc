import { describe, expect, it } from 'vitest';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { createLogger } from '../../src/http/telemetry/logger.ts';
import { sealAudit } from '../../src/jobs/upkeep/seal-audit.ts';
import { createOrganization } from '../support/factories.ts';
import { keyring, newChain, newDatabase, sealedEntries, sealUntil, standingChain, writeEntries } from './chains.ts';

describe('the chain of an untouched log', () => {
  it('holds, and tells how far it goes', async () => {
    const { database, organizationId, head, verify } = await newChain();
    expect(await verify()).toEqual({ organizationId, links: 6, unsealed: 0, head, broken: null, unverifiable: null });
    await writeEntries(database, organizationId, 2);
    expect(await verify(head)).toEqual({ organizationId, links: 6, unsealed: 2, head, broken: null, unverifiable: null });
    const next = await sealUntil(database, organizationId, 8);
    expect(await verify(head)).toEqual({ organizationId, links: 8, unsealed: 0, head: next, broken: null, unverifiable: null });
  });

  it('is empty where nothing happened', async () => {
    const { database } = await newDatabase();
    const { id } = await createOrganization(database.prisma);
    await sealAudit(database, keyring);
    expect(await verifyChain(database.prisma, keyring, id)).toEqual({
      organizationId: id,
      links: 0,
      unsealed: 0,
      head: null,
      broken: null,
      unverifiable: null,
    });
  });

  it('does not hold under another master key, and says which is missing', async () => {
    const { database, organizationId } = await newChain();
    const same = createKeyring([{ id: 'test', key: Buffer.alloc(32, 8) }]);
    expect((await verifyChain(database.prisma, same, organizationId)).broken).toMatchObject({ position: 1n });
    const other = createKeyring([{ id: 'other', key: Buffer.alloc(32, 7) }]);
    expect((await verifyChain(database.prisma, other, organizationId)).broken?.what).toContain('"test"');
  });

  it('goes on under a new master key', async () => {
    const { database, organizationId } = await newChain(3);
    const rotated = createKeyring([
      { id: 'next', key: Buffer.alloc(32, 9) },
      { id: 'test', key: Buffer.alloc(32, 7) },
    ]);
    await writeEntries(database, organizationId, 2);
    await sealUntil(database, organizationId, 5, rotated);
    expect(await verifyChain(database.prisma, rotated, organizationId)).toMatchObject({ links: 5, broken: null, unverifiable: null });
  });
});

const idBytes = (id: bigint) => Buffer.from(id.toString(16).padStart(12, '0'), 'hex');

describe('a link', () => {
  const ODD = 'a "quoted" \\ back\tslash,\u0001\u007f\u2028 Zoë 💊';

  it.each([
    ['nothing but what it must', { requestId: null, address: null, detail: null, patientIds: [] }],
    ['everything, in odd characters', { requestId: ODD, address: '::1', detail: ODD, patientIds: [5, 6] }],
  ])('of an entry that says %s covers its columns as JSON', async (_what, { patientIds, ...said }) => {
    const { database } = await newDatabase();
    const { id: organizationId } = await createOrganization(database.prisma);
    const values = [organizationId, ODD, 'read', 'appointment', [1, 2], patientIds.length > 0 ? patientIds : null, ODD];
    await database.pool.query(
      `INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, patient_ids, operation, request_id, address, detail)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [...values, said.requestId, said.address, said.detail],
    );
    const entry = await database.prisma.auditEntry.findFirstOrThrow({ where: { organizationId } });
    const { hash } = await sealUntil(database, organizationId, 1);
    const columns = [
      organizationId,
      String(entry.id),
      String(entry.transactionId),
      `${entry.at.toISOString().slice(0, -1)}000Z AD`,
      ODD,
      'read',
      'appointment',
      [1, 2],
      ODD,
    ];
    const written = JSON.stringify([...columns, said.requestId, said.address, said.detail, ...(patientIds.length > 0 ? [patientIds] : [])]);
    const mark = Buffer.concat([idBytes(entry.id), keyring.mac('audit-mark', written).subarray(0, 6)]).toString('hex');
    const covered = Buffer.concat([Buffer.alloc(32), Buffer.from(`1 ${mark} ${written}`)]);
    expect(hash).toBe(keyring.mac('audit-chain', covered).toString('base64url'));
  });
});

const CHAINS = { 'a link each': await standingChain('a link each'), 'one link': await standingChain('one link') };

describe.each(['a link each', 'one link'] as const)('a log, with %s for its entries, that someone changed', (kind) => {
  const { database, ids, organizationId, changedBy } = CHAINS[kind];

  it('holds until then', async () => {
    expect(await database.prisma.auditLink.count()).toBe(kind === 'one link' ? 1 : 6);
    expect((await changedBy()).broken).toBeNull();
  });

  it.each([
    ['who', "actor = 'user:1'"],
    ['what', "action = 'update'"],
    ['which kind of record', "resource = 'appointment'"],
    ['which record', "resource_ids = '{9}'"],
    ['whose chart', "patient_ids = '{9}'"],
    ['in which operation', "operation = 'other'"],
    ['in which request', "request_id = 'other'"],
    ['in which request, by its bytes', 'request_uuid = gen_random_uuid()'],
    ['from where', "address = '203.0.113.9'"],
    ['when', "at = at - interval '1 day'"],
    ['the note', "detail = 'x'"],
  ])('is told by its first entry of which someone changed %s', async (_what, change) => {
    expect(await changedBy(`UPDATE audit_entry SET ${change} WHERE id IN (${ids[3]}, ${ids[4]})`)).toMatchObject({
      links: 3,
      broken: { position: 4n, auditEntryId: ids[3], what: expect.stringContaining('edited') },
    });
  });

  it('is told by the first entry that was deleted', async () => {
    const { broken } = await changedBy(`DELETE FROM audit_entry WHERE id IN (${ids[2]}, ${ids[4]})`);
    expect(broken).toMatchObject({ position: 3n, what: expect.stringContaining(`${ids[2]} is missing`) });
  });

  it('is told by the first of two entries that changed places', async () => {
    const { broken } = await changedBy(`
      UPDATE audit_entry SET resource_ids = CASE id WHEN ${ids[1]} THEN '{5}'::bigint[] ELSE '{2}'::bigint[] END WHERE id IN (${ids[1]}, ${ids[4]})`);
    expect(broken).toMatchObject({ position: 2n, auditEntryId: ids[1] });
  });

  it('is told by an entry that was moved to another place in the order', async () => {
    const { broken } = await changedBy(
      `UPDATE audit_entry SET transaction_id = (SELECT min(transaction_id) FROM audit_entry) - 1 WHERE id = ${ids[4]}`,
    );
    expect(broken).toMatchObject({ position: 1n, auditEntryId: ids[4] });
  });

  it('is told by an entry that was slipped in', async () => {
    const { broken } = await changedBy(`
      INSERT INTO audit_entry (organization_id, transaction_id, actor, action, resource, resource_ids, operation)
      SELECT ${organizationId}, transaction_id, 'user:1', 'read', 'patient', '{1}', 'test' FROM audit_entry WHERE id = ${ids[2]}`);
    expect(broken).toMatchObject({ position: 4n, what: expect.stringContaining('inserted') });
    expect(ids).not.toContain(broken?.auditEntryId);
  });

  it('is told when an entry was given to another organization', async () => {
    const { broken } = await changedBy(`UPDATE audit_entry SET organization_id = ${organizationId + 1} WHERE id = ${ids[5]}`);
    expect(broken).toMatchObject({ position: 6n, what: expect.stringContaining('missing') });
  });

  it.each([3, 6])('is told by a second entry in the place of entry %i', async (position) => {
    const { broken } = await changedBy(
      'ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_pkey',
      `INSERT INTO audit_entry (organization_id, id, transaction_id, actor, action, resource, resource_ids, operation)
       SELECT organization_id, id, transaction_id, 'user:1', action, resource, resource_ids, operation FROM audit_entry WHERE id = ${ids[position - 1]}`,
    );
    expect(Number(broken?.position) - position).toBeOneOf([0, 1]);
    expect(broken?.auditEntryId).toBe(ids[position - 1]);
  });

  it('goes on, and what was kept of it is found again', async () => {
    const { database, organizationId, verify } = await newChain(6, 0, kind);
    const { head } = await verify();
    await writeEntries(database, organizationId, 3);
    await sealUntil(database, organizationId, 9);
    expect(await verify(head ?? undefined)).toMatchObject({ links: 9, unsealed: 0, broken: null });
    const other = { position: 5n, hash: 'x'.repeat(43) };
    expect((await verify(other)).broken).toMatchObject({ position: 5n, what: expect.stringContaining('was rebuilt') });
  });
});

describe('a chain of links of one entry that someone changed', () => {
  const { ids, organizationId, changedBy } = CHAINS['a link each'];

  it('is told by the first link that was deleted', async () => {
    const { broken } = await changedBy('DELETE FROM audit_link WHERE position IN (2, 5)');
    expect(broken).toMatchObject({ position: 2n, what: expect.stringContaining('link 2 is missing') });
  });

  it('is told when its first links are gone together with their entries', async () => {
    const { broken } = await changedBy('DELETE FROM audit_link WHERE position < 3', `DELETE FROM audit_entry WHERE id < ${ids[2]}`);
    expect(broken).toMatchObject({ position: 1n });
  });

  it('is told by the first of two links that changed places', async () => {
    const { broken } = await changedBy(
      'UPDATE audit_link SET position = -position WHERE position IN (2, 5)',
      'UPDATE audit_link SET position = 7 + position WHERE position < 0',
    );
    expect(broken).toMatchObject({ position: 2n });
  });

  it.each([
    ['hash', "hash = sha256('x')"],
    ['key', "key_id = 'another'"],
    ['place', 'transaction_id = transaction_id + 1000000'],
    ['earlier place', 'transaction_id = 0'],
  ])('is told by a link whose %s was changed', async (_what, change) => {
    expect((await changedBy(`UPDATE audit_link SET ${change} WHERE position = 6`)).broken).toMatchObject({ position: 6n });
  });

  it('is told when links were made for it without the master key', async () => {
    const { broken } = await changedBy(
      `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${ids[0]}`,
      'DELETE FROM audit_link',
      `INSERT INTO audit_link SELECT ${organizationId}, row_number() OVER (ORDER BY id), id, transaction_id, 'test', sha256(actor::bytea), '\\x00' FROM audit_entry`,
    );
    expect(broken).toMatchObject({ position: 1n });
  });
});

describe('the sealer', () => {
  it('had its heads written to the log of the server', async () => {
    const { database } = await newDatabase();
    const { id: organizationId } = await createOrganization(database.prisma);
    const lines: string[] = [];
    const logger = createLogger({ LOG_LEVEL: 'info' }, { write: (line) => void lines.push(line) });
    await writeEntries(database, organizationId, 2);
    while ((await sealedEntries(database, organizationId)) < 2) await sealAudit(database, keyring, logger);
    const { head } = await verifyChain(database.prisma, keyring, organizationId);
    const last = JSON.parse(lines.at(-1) ?? '{}');
    expect(last).toMatchObject({ organization: organizationId, position: 2, hash: head?.hash, msg: 'audit sealed' });
  });
});
