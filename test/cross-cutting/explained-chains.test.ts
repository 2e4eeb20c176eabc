import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createKeyring, type Keyring } from '../../src/database/keyring.ts';
import { closeStretches, codeOf } from '../../src/domain/audit/close-stretches.ts';
import { renewExplanations } from '../../src/domain/audit/explanations.ts';
import { findForeignStretches } from '../../src/domain/audit/foreign-stretches.ts';
import { verifyChain } from '../../src/domain/audit/verify-chain.ts';
import { operator } from '../../src/domain/caller.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { sealAudit } from '../../src/jobs/seal-audit.ts';
import { createOrganization } from '../support/factories.ts';
import { keyring, newChain, newDatabase, refusals, sealedEntries, sealUntil, writeChange, writeEntries } from './chains.ts';

const KEY = { id: 'test', key: Buffer.alloc(32, 7) };
const LOST = { id: 'lost', key: Buffer.alloc(32, 9) };
/** The same id, other bytes: as when secrets.json was made anew. */
const OTHER = { id: 'test', key: Buffer.alloc(32, 8) };

/** What an operator does with `audit explain`. @param at the operator's clock */
async function explainAll(database: Database, organizationId: number, keys: Keyring = keyring, at = new Date()) {
  const words = { reason: 'the key burnt with the host', operator: 'ada', at };
  const { stretches } = await findForeignStretches(database.prisma, keys, organizationId);
  return createUnitOfWork(database).write(operator(organizationId, 'admin audit explain', 'ada'), (db, caller) =>
    closeStretches(db, caller, keys, codeOf(stretches), words),
  );
}

/** Three links that hold, three under a key that is lost, its explanation, and its seal with two more: positions 1 to 9. */
async function newExplained(at?: Date) {
  const chain = await newChain(2, 1);
  const { database, organizationId } = chain;
  for (const position of [4, 5, 6]) {
    if (position < 6) await writeEntries(database, organizationId, 1);
    else await writeChange(database, organizationId);
    await sealUntil(database, organizationId, position, createKeyring([LOST, KEY]));
  }
  const [stretch] = await explainAll(database, organizationId, keyring, at);
  await sealUntil(database, organizationId, 7);
  for (const position of [8, 9]) {
    await writeEntries(database, organizationId, 1);
    await sealUntil(database, organizationId, position);
  }
  const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  return { ...chain, stretch, idAt: (position: number) => entries[position - 1]?.id, entries };
}

describe('a stretch that was sealed under a lost key', () => {
  it('is an alarm and stops the sealer until it is explained; then it is named, and the chain goes on', async () => {
    const { database, organizationId, verify } = await newChain(3);
    await writeEntries(database, organizationId, 3);
    await sealUntil(database, organizationId, 6, createKeyring([LOST, KEY]));
    expect((await verify()).broken).toMatchObject({ position: 4n, what: expect.stringContaining('"lost" is not among MASTER_KEYS') });
    const [stretch] = await explainAll(database, organizationId);
    expect(stretch).toMatchObject({ first: 4n, last: 6n, sealedUnder: 'lost', keyIsMissing: true });
    await writeEntries(database, organizationId, 1);
    const head = await sealUntil(database, organizationId, 8);
    const explained = [expect.objectContaining({ first: 4n, last: 6n, operator: 'ada', reason: 'the key burnt with the host' })];
    expect(await verify(head)).toMatchObject({ broken: null, links: 8, unsealed: 0, explained });
    expect((await findForeignStretches(database.prisma, keyring, organizationId)).stretches).toEqual([]);
  });

  it('is an entry of the audit itself, sealed, which says whose word it is and over what', async () => {
    const { entries, stretch, database, organizationId } = await newExplained();
    expect(entries[6]).toMatchObject({ actor: 'operator:ada', action: 'administer', resource: 'audit_chain' });
    expect(entries[6]?.detail).toBe(
      `links 4 to 6 explained, sealed under lost, SHA-256 ${stretch?.digest.toString('hex')}: the key burnt with the host`,
    );
    expect(await database.prisma.auditLink.findFirst({ where: { organizationId, position: 7n } })).toMatchObject({ keyId: 'test' });
  });

  it.each([new Date(0), new Date('2999-12-31')])('holds whatever clock the operator has: %s', async (at) => {
    const { verify, tamper, idAt } = await newExplained(at);
    expect(await verify()).toMatchObject({ broken: null, explained: [{ at }] });
    await tamper(`UPDATE audit_entry SET at = '2999-01-01' WHERE id = ${idAt(5)}`);
    expect((await verify()).broken).not.toBeNull();
  });

  it.each<[string, (id: (position: number) => bigint | undefined) => string, RegExp]>([
    [
      'an entry in it',
      (id) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${id(4)}`,
      /of links 4 to 6, which were explained, some/,
    ],
    ['its last entry', (id) => `UPDATE audit_entry SET detail = 'x' WHERE id = ${id(6)}`, /which were explained, some were edited/],
    ['the seal of a link in it', () => `UPDATE audit_link SET hash = sha256(hash) WHERE position = 5`, /which were explained, some/],
    ['its last seal', () => `UPDATE audit_link SET hash = sha256(hash) WHERE position = 6`, /which were explained, some/],
    ['the key of a link in it', () => `UPDATE audit_link SET key_id = 'test' WHERE position = 5`, /which were explained, some/],
    ['an entry that is deleted from it', (id) => `DELETE FROM audit_entry WHERE id = ${id(5)}`, /is missing: it was deleted or moved/],
    ['a link that is deleted from it', () => `DELETE FROM audit_link WHERE position = 5`, /link 5 is missing/],
    ['an event of it', () => `DELETE FROM event WHERE id = (SELECT max(id) FROM event)`, /events belong to the sealed entries/],
    ['an entry before it', (id) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${id(2)}`, /was edited or moved/],
    ['an entry after it', (id) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${id(8)}`, /was edited or moved/],
    ['the entry of its explanation', (id) => `UPDATE audit_entry SET detail = 'x' WHERE id = ${id(7)}`, /was edited or moved/],
    [
      'a cut in its middle',
      (id) => `DELETE FROM audit_link WHERE position > 5; DELETE FROM audit_entry WHERE id > ${id(5)}`,
      /explained, are missing/,
    ],
    [
      'a cut behind it',
      (id) => `DELETE FROM audit_link WHERE position > 7; DELETE FROM audit_entry WHERE id > ${id(7)}`,
      /its newest links were cut off/,
    ],
    ['the reason', () => `UPDATE audit_explanation SET reason = 'nothing'`, /was edited, or was made without the master keys/],
    ['the range', () => `UPDATE audit_explanation SET last_position = 8`, /was edited, or was made|cannot be checked/],
    ['an explanation that is deleted', () => 'DELETE FROM audit_explanation', /link 4 cannot be checked/],
  ])('does not hide %s', async (_what, sql, said) => {
    const { verify, tamper, idAt } = await newExplained();
    await tamper(sql(idAt));
    expect((await verify()).broken?.what).toMatch(said);
  });

  it('is not explained by a row that the role of the server writes without master keys', async () => {
    const { database, organizationId, verify } = await newChain(3);
    await writeEntries(database, organizationId, 2);
    await sealUntil(database, organizationId, 5, createKeyring([LOST, KEY]));
    const { stretches } = await findForeignStretches(database.prisma, keyring, organizationId);
    const digest = new Uint8Array(stretches[0]?.digest ?? []);
    const mac = new Uint8Array(32);
    await database.prisma.auditExplanation.create({
      data: {
        ...{ organizationId, firstPosition: 4n, lastPosition: 5n, sealedUnder: 'lost', digest, mac, keyId: 'test' },
        ...{ reason: 'forged', operator: 'ada', explainedAt: new Date() },
      },
    });
    expect(await verify()).toMatchObject({ broken: { position: 4n }, explained: [] });
    await explainAll(database, organizationId);
    expect(await verify()).toMatchObject({ broken: null, explained: [{ operator: 'ada', reason: 'the key burnt with the host' }] });
  });

  it('stays explained under the next master key, and a second one may follow', async () => {
    const { database, organizationId } = await newExplained();
    const next = createKeyring([{ id: 'next', key: Buffer.alloc(32, 6) }, KEY]);
    await renewExplanations(database.prisma, next);
    await writeEntries(database, organizationId, 1);
    await sealUntil(database, organizationId, 10, next);
    // The key "test" is taken out, as it may be: what it sealed cannot be checked any more, which is explained as well.
    const alone = createKeyring([{ id: 'next', key: Buffer.alloc(32, 6) }]);
    expect((await verifyChain(database.prisma, alone, organizationId)).explained).toHaveLength(1);
    const closed = await explainAll(database, organizationId, alone);
    expect(closed.map(({ first, last }) => [first, last])).toEqual([
      [1n, 3n],
      [7n, 9n],
    ]);
    expect(await verifyChain(database.prisma, alone, organizationId)).toMatchObject({ broken: null, links: 10 });
  });
});

describe('a chain that was sealed under another key of the same id', () => {
  it('is refused by the sealer that has the right one, and mended by an explanation, with the list of heads', async () => {
    const { database } = await newDatabase();
    const { id: organizationId } = await createOrganization(database.prisma);
    const { id: another } = await createOrganization(database.prisma);
    for (const id of [organizationId, another]) await writeEntries(database, id, 2);
    while ((await sealedEntries(database, organizationId)) + (await sealedEntries(database, another)) < 4)
      await sealAudit(database, createKeyring([OTHER]));
    await writeEntries(database, organizationId, 1);
    expect(await refusals(database)).toEqual([expect.stringContaining('was edited')]);
    expect((await verifyChain(database.prisma, keyring, organizationId)).broken).not.toBeNull();
    for (const id of [organizationId, another]) {
      expect(await explainAll(database, id)).toMatchObject([{ first: 1n, last: 2n, sealedUnder: 'test', keyIsMissing: false }]);
      await sealUntil(database, id, 3);
      expect(await verifyChain(database.prisma, keyring, id)).toMatchObject({ broken: null, explained: [{ first: 1n, last: 2n }] });
    }
    // A practice that comes later is entered in the list of heads.
    const { id: later } = await createOrganization(database.prisma);
    await writeEntries(database, later, 1);
    await sealUntil(database, later, 1);
    expect(await verifyChain(database.prisma, keyring, later)).toMatchObject({ broken: null, links: 1 });
  });
});

describe('an alteration', () => {
  it.each<[string, (ids: bigint[]) => string, RegExp]>([
    ['an edited entry', (ids) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${ids[1]}`, /link 2 does not hold, and later ones do/],
    [
      'an edited newest entry',
      (ids) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${ids[5]}`,
      /the head of the chain does: it was altered/,
    ],
    ['a deleted entry', (ids) => `DELETE FROM audit_entry WHERE id = ${ids[3]}`, /is missing: it was deleted or moved/],
    ['a deleted link', () => 'DELETE FROM audit_link WHERE position = 3', /link 3 is missing/],
    [
      'a cut end',
      (ids) => `DELETE FROM audit_link WHERE position = 6; DELETE FROM audit_entry WHERE id = ${ids[5]}`,
      /not with its kept head, link 6/,
    ],
    ['a deleted head', () => 'DELETE FROM audit_head', /the head of the chain is missing/],
    ['a deleted event', () => `DELETE FROM event`, /events belong to the sealed entries/],
    ['an edited head that names an older link', () => `UPDATE audit_head SET position = 4`, /not with its kept head, link 4/],
  ])('is not a lost key and cannot be explained: %s', async (_what, sql, said) => {
    const { database, organizationId, ids, tamper } = await newChain(5, 1);
    await tamper(sql(ids));
    await expect(findForeignStretches(database.prisma, keyring, organizationId)).rejects.toThrow(said);
  });
});
