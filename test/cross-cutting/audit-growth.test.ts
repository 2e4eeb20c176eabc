import { describe, expect, it } from 'vitest';
import { createOrganization } from '../support/factories.ts';
import { newChain, newDatabase, sealUntil, standingChain, untilSealable } from './chains.ts';

const [linkEach, oneLink] = [await standingChain('a link each'), await standingChain('one link')];

describe('a log whose rows have operations and requests in few bytes', () => {
  it.each([
    ['the number of an operation', 'UPDATE audit_entry SET operation_id = NULL WHERE id = $4'],
    ['an operation beside its number', "UPDATE audit_entry SET operation = 'x' WHERE id = $4"],
    ['the number, to one that none has', 'UPDATE audit_entry SET operation_id = -1 WHERE id = $4'],
  ])('is told by the entry of which someone changed %s', async (_what, sql) => {
    const { ids, changedBy } = linkEach;
    expect((await changedBy(sql.replace('$4', String(ids[3])))).broken).toMatchObject({
      position: 4n,
      auditEntryId: ids[3],
      what: expect.stringContaining('edited'),
    });
  });

  it('is told when the name of an operation was changed, or deleted', async () => {
    const { ids, changedBy } = linkEach;
    for (const sql of ["UPDATE audit_operation SET name = name || 'x'", 'DELETE FROM audit_operation']) {
      const { broken } = await changedBy(sql);
      expect(broken).toMatchObject({ position: 1n, auditEntryId: ids[0], what: expect.stringContaining('edited') });
    }
  });

  it('shows them as they were given', async () => {
    const { database } = await newDatabase();
    const { id: organizationId } = await createOrganization(database.prisma);
    const given = [
      'traced-1',
      '0f7c8f0e-3b1e-4b5e-9d0a-3b1f4a0a7a10',
      '0F7C8F0E-3B1E-4B5E-9D0A-3B1F4A0A7A10',
      '0f7c8f0e3b1e4b5e9d0a3b1f4a0a7a10',
      null,
    ];
    for (const [n, requestId] of given.entries())
      await database.pool.query(
        `INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation, request_id)
         VALUES ($1, 'test', 'read', 'patient', '{1}', $2, $3)`,
        [organizationId, n % 2 === 0 ? 'GET /even' : 'GET /odd', requestId],
      );
    const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect(entries.map(({ requestId }) => requestId)).toEqual(given);
    expect(entries.map(({ operation }) => operation)).toEqual(['GET /even', 'GET /odd', 'GET /even', 'GET /odd', 'GET /even']);
    const { rows } = await database.pool.query('SELECT operation, request_id, request_uuid FROM audit_entry ORDER BY id');
    expect(rows.map((row) => [row.operation, row.request_id])).toEqual([
      ['', given[0]],
      ['', null],
      ['', given[2]],
      ['', given[3]],
      ['', null],
    ]);
  });
});

describe('a server of the release before', () => {
  it('goes on writing while its role has no privilege on what is new', async () => {
    const { database, organizationId, tamper } = await newChain(1);
    const { rows } = await database.pool.query('SELECT current_user AS role');
    await tamper(
      `REVOKE ALL ON audit_operation FROM "${rows[0].role}"; REVOKE ALL ON SEQUENCE audit_operation_id_seq FROM "${rows[0].role}"`,
    );
    await database.pool.query(
      `INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation)
       VALUES ($1, 'test', 'read', 'patient', '{1}', 'an operation of that release')`,
      [organizationId],
    );
    expect((await database.pool.query('SELECT operation_id FROM audit_entry ORDER BY id DESC LIMIT 1')).rows).toEqual([
      { operation_id: expect.any(Number) },
    ]);
  });
});

describe('a link of several entries', () => {
  it.each([
    ['hash', "hash = sha256('x')", 6n],
    ['key', "key_id = 'another'", 1n],
    ['transaction', 'transaction_id = 0', 6n],
    ['last entry', 'audit_entry_id = audit_entry_id - 1', 6n],
    ['position', 'position = 7', 1n],
    ['marks, which are gone', "marks = ''", 1n],
    ['marks, of which one is gone', 'marks = substr(marks, 13)', 1n],
    ['marks, of which one is cut', 'marks = substr(marks, 1, 70)', 6n],
    ['marks, of which one is another', 'marks = set_byte(marks, 20, get_byte(marks, 20) # 1)', 2n],
    ['marks, of which one names another entry', 'marks = set_byte(marks, 17, get_byte(marks, 17) # 64)', 2n],
  ])('is told when someone changed its %s', async (_what, change, position) => {
    expect((await oneLink.changedBy(`UPDATE audit_link SET ${change}`)).broken).toMatchObject({ position });
  });

  it('does not lose an entry together with its mark', async () => {
    const lost = [
      `DELETE FROM audit_entry WHERE id = ${oneLink.ids[2]}`,
      'UPDATE audit_link SET marks = substr(marks, 1, 24) || substr(marks, 37)',
    ];
    expect((await oneLink.changedBy(...lost)).broken).not.toBeNull();
    const counted = ['UPDATE audit_link SET position = 5', 'UPDATE audit_head SET position = 5'];
    expect((await oneLink.changedBy(...lost, ...counted)).broken).not.toBeNull();
  });

  it('has a hundred and twenty-eight entries at most, and the chain all of them', async () => {
    const { database, organizationId, verify, tamper } = await newChain(0);
    await tamper(`INSERT INTO audit_entry (organization_id, transaction_id, actor, action, resource, resource_ids, operation)
      SELECT ${organizationId}, 1, 'test', 'read', 'patient', ARRAY[n], 'test' FROM generate_series(1, 2500) n`);
    await untilSealable(database);
    await sealUntil(database, organizationId, 2_500);
    expect(await database.prisma.auditLink.count()).toBe(20);
    expect(await verify()).toMatchObject({ links: 2_500, unsealed: 0, broken: null });
    await tamper(`UPDATE audit_entry SET resource_ids = '{0}' WHERE resource_ids = '{2222}'`);
    expect((await verify()).broken).toMatchObject({ position: 2_222n });
  });
});
