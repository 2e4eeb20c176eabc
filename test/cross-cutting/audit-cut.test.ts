import { register } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { createOrganization } from '../support/factories.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { keyring, newChain, refusals, sealUntil, writeChange, writeEntries } from './chains.ts';

/** What the superuser of the database does, who has no master key; the answers are the table of docs/security.md. */
describe('a log whose end was cut off', () => {
  const cut = (ids: bigint[], left: number) =>
    `DELETE FROM audit_link WHERE position > ${left}; DELETE FROM audit_entry WHERE id > ${left === 0 ? 0 : ids[left - 1]};`;

  it('is told by the head that its sealer kept, and is not continued', async () => {
    const { database, organizationId, verify, tamper, ids } = await newChain();
    await tamper(cut(ids, 4));
    expect((await verify()).broken).toMatchObject({ position: 5n, what: expect.stringContaining('cut off') });
    await writeEntries(database, organizationId, 3);
    expect(await refusals(database)).toEqual([expect.stringContaining('ends with link 4 and not with its stored head, link 6')]);
    expect(await database.prisma.auditLink.count({ where: { organizationId } })).toBe(4);
    expect(await register.metrics()).toContain('audit_chains_refused 1');
  });

  it.each([
    ['head is gone too', 'DELETE FROM audit_head', 'the head of the chain is missing'],
    ['head names an earlier link', 'UPDATE audit_head SET position = 4', 'was edited'],
    ['head and list of heads are gone', 'DELETE FROM audit_head; DELETE FROM audit_roll', 'the head of the chain is missing'],
    ['list of heads was edited', 'DELETE FROM audit_head; UPDATE audit_roll SET organizations = ARRAY[]::int[]', 'list of chain heads'],
  ])('is told when its %s', async (_what, also, said) => {
    const { database, organizationId, verify, tamper, ids } = await newChain();
    await tamper(`${cut(ids, 4)} ${also}`);
    expect((await verify()).broken?.what).toContain(said);
    await writeEntries(database, organizationId, 1);
    expect(await refusals(database)).toHaveLength(1);
  });

  it('is told when nothing is left of it, by its head and by the list of heads', async () => {
    const { database, organizationId, verify, tamper, ids } = await newChain();
    await tamper(cut(ids, 0));
    expect((await verify()).broken).toMatchObject({ position: 1n, what: expect.stringContaining('cut off') });
    await tamper('DELETE FROM audit_head');
    expect((await verify()).broken?.what).toContain('the head of the chain is missing');
    await writeEntries(database, organizationId, 1);
    expect(await refusals(database)).toHaveLength(1);
  });

  it('is told by the events that are left, when its head and the list of heads are gone with it', async () => {
    const { database, organizationId, verify, tamper } = await newChain(2);
    await writeChange(database, organizationId);
    await sealUntil(database, organizationId, 3);
    await tamper('DELETE FROM audit_link; DELETE FROM audit_entry; DELETE FROM audit_head; DELETE FROM audit_roll');
    expect((await verify()).broken?.what).toMatch(/event \d+ \(organization\.updated\) has no audit entry/);
  });

  it.runIf(isUpkeep)('is told when the heads of two practices changed places', async () => {
    const { database, organizationId, verify, tamper } = await newChain(2);
    const { id: other } = await createOrganization(database.prisma);
    await writeEntries(database, other, 2);
    await sealUntil(database, other, 2);
    await tamper(`UPDATE audit_head SET organization_id = -organization_id;
      UPDATE audit_head SET organization_id = CASE organization_id WHEN -${other} THEN ${organizationId} ELSE ${other} END`);
    expect((await verify()).broken?.what).toContain('belongs to another practice');
    expect((await verifyChain(database.prisma, keyring, other)).broken?.what).toContain('belongs to another practice');
  });

  it.runIf(isUpkeep)('is told when an older head was put in the place of the newest', async () => {
    const { database, organizationId, verify, tamper } = await newChain(2);
    await tamper('CREATE TABLE older AS SELECT * FROM audit_head');
    await writeEntries(database, organizationId, 2);
    await sealUntil(database, organizationId, 4);
    await tamper('DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM older');
    expect((await verify()).broken?.what).toContain('the stored head is link 2: an older one replaced it');
    await writeEntries(database, organizationId, 1);
    expect(await refusals(database)).toHaveLength(1);
  });

  it.runIf(isUpkeep)('looks whole when all of it is an older state, and not to who kept a head of it', async () => {
    const { database, organizationId, verify, tamper, ids } = await newChain(4);
    await tamper('CREATE TABLE older AS SELECT * FROM audit_head');
    await writeEntries(database, organizationId, 2);
    const head = await sealUntil(database, organizationId, 6);
    await tamper(`${cut(ids, 4)} DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM older`);
    expect((await verify()).broken).toBeNull();
    expect((await verify(head)).broken).toMatchObject({ position: 5n, what: expect.stringContaining('cut off') });
    await writeEntries(database, organizationId, 3);
    await sealUntil(database, organizationId, 7);
    expect((await verify()).broken).toBeNull();
    expect((await verify(head)).broken).toMatchObject({ position: 6n, what: expect.stringContaining('was rebuilt') });
  });

  it.runIf(isUpkeep)('is told by a change whose entry went before it was sealed, and by events that are gone', async () => {
    const { database, organizationId, verify, tamper } = await newChain(1);
    await writeChange(database, organizationId);
    await tamper('DELETE FROM audit_entry WHERE id = (SELECT max(id) FROM audit_entry)');
    expect((await verify()).broken?.what).toContain('entries that were not sealed yet are missing');
    await writeChange(database, organizationId);
    await sealUntil(database, organizationId, 2);
    expect((await verify()).broken).toBeNull();
    await tamper('DELETE FROM event WHERE id = (SELECT min(id) FROM event)');
    expect((await verify()).broken?.what).toContain('2 events belong to the sealed entries, but there are 1');
  });
});

describe('an entry of a read that was deleted before it was sealed', () => {
  it.runIf(isUpkeep)('is missed by nobody, and neither is that of a change whose event went with it', async () => {
    const { database, organizationId, verify, tamper } = await newChain(1);
    const deleteNewest = 'DELETE FROM audit_entry WHERE id = (SELECT max(id) FROM audit_entry)';
    await writeEntries(database, organizationId, 1);
    await tamper(deleteNewest);
    await writeChange(database, organizationId);
    await tamper(`${deleteNewest}; DELETE FROM event WHERE id = (SELECT max(id) FROM event)`);
    expect(await verify()).toMatchObject({ links: 1, unsealed: 0, broken: null });
  });
});

/** A log is divided by this column, so ALTER TABLE refuses to change its type. */
const FINER = `UPDATE pg_attribute SET atttypmod = 6
  WHERE attname = 'at' AND attrelid IN (SELECT oid FROM pg_class WHERE relname ~ '^audit_entry' AND relkind IN ('r', 'p'));`;

describe('an entry whose instant was edited below a millisecond', () => {
  it('is told', async () => {
    const { tamper, verify, ids } = await newChain(1);
    await tamper(`${FINER} UPDATE audit_entry SET at = at + interval '1 microsecond'`);
    expect((await verify()).broken).toMatchObject({ position: 1n, auditEntryId: ids[0], what: expect.stringContaining('edited') });
  });

  it.runIf(isUpkeep)('is told when it was moved before our era', async () => {
    const { tamper, verify } = await newChain(1);
    await tamper("UPDATE audit_entry SET at = (to_char(at, 'YYYY-MM-DD HH24:MI:SS.MS TZH') || ' BC')::timestamptz");
    expect((await verify()).broken?.what).toContain('edited');
  });
});
