import { expect, it } from 'vitest';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import { createPrepared } from '../../src/database/statements/statement.ts';
import { renewHeads } from '../../src/domain/audit/chain/chain-heads.ts';
import { verifyChain } from '../../src/domain/audit/chain/verify-chain.ts';
import { keyring, newChain, sealUntil, writeChange, writeEntries } from './chains.ts';

const KEY = { id: 'test', key: Buffer.alloc(32, 7) };
const LOST = { id: 'lost', key: Buffer.alloc(32, 9) };
const withoutLost = createKeyring([KEY], ['lost']);

/** Two links that hold and two under a key that is lost. */
async function newChainOfLostKey() {
  const chain = await newChain(2);
  const { database, organizationId } = chain;
  await writeEntries(database, organizationId, 1);
  await writeChange(database, organizationId);
  await sealUntil(database, organizationId, 4, createKeyring([LOST, KEY]));
  const verifyAs = (keys = withoutLost) => verifyChain(database.prisma, keys, organizationId);
  return { ...chain, verifyAs };
}

it('links of a key that is missing, and is not named as lost, stop the sealer and are an alarm', async () => {
  const { database, organizationId, verify } = await newChainOfLostKey();
  await writeEntries(database, organizationId, 1);
  expect((await verify()).broken).toMatchObject({ position: 3n, what: expect.stringContaining('"lost" is not among MASTER_KEYS') });
  await expect(sealUntil(database, organizationId, 5)).rejects.toThrow('cannot be checked');
});

it('links of a lost key are named as unverifiable until their last entry, and the chain goes on behind them', async () => {
  const { database, organizationId, verify, verifyAs } = await newChainOfLostKey();
  const last = await database.prisma.auditEntry.findFirst({ where: { organizationId }, orderBy: { id: 'desc' } });
  const unverifiable = { position: 4n, at: last?.at };
  expect(await verifyAs()).toMatchObject({ broken: null, links: 4, unverifiable });
  await writeEntries(database, organizationId, 1);
  const head = await sealUntil(database, organizationId, 5, withoutLost);
  // The head says so from now on, also where the key is no longer named as lost.
  expect(await verify(head)).toMatchObject({ broken: null, links: 5, unverifiable });
  expect(await verifyChain(database.prisma, createKeyring([{ id: 'next', key: Buffer.alloc(32, 5) }, KEY]), organizationId)).toMatchObject({
    broken: null,
    unverifiable,
  });
});

it('a head under a lost key goes to the current one with keys renew', async () => {
  const { database, verify } = await newChainOfLostKey();
  await renewHeads(createPrepared(database.pool), withoutLost);
  expect(await verify()).toMatchObject({ broken: null, links: 4, unverifiable: { position: 4n } });
});

it.each<[string, (ids: bigint[]) => string, RegExp]>([
  ['an entry before them', (ids) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${ids[0]}`, /was edited or moved/],
  ['an entry that is deleted among them', (ids) => `DELETE FROM audit_entry WHERE id = ${ids[2]}`, /is missing: it was deleted or moved/],
  ['an entry after them', (ids) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${ids[4]}`, /was edited or moved/],
  [
    'a later link that says it was of the lost key',
    (ids) => `UPDATE audit_entry SET actor = 'user:1' WHERE id = ${ids[4]}; UPDATE audit_link SET key_id = 'lost' WHERE position = 5`,
    /link 5 cannot be checked/,
  ],
  [
    'the last of them, which the next link covers',
    () => 'UPDATE audit_link SET hash = sha256(hash) WHERE position = 4',
    /was edited or moved/,
  ],
  ['a head that says more was of the lost key', () => 'UPDATE audit_head SET lost_position = 6', /link 3 cannot be checked/],
])('do not hide %s', async (_what, sql, said) => {
  const { database, organizationId, tamper, verifyAs } = await newChainOfLostKey();
  for (const position of [5, 6]) {
    await writeEntries(database, organizationId, 1);
    await sealUntil(database, organizationId, position, withoutLost);
  }
  const entries = await database.prisma.auditEntry.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  await tamper(sql(entries.map(({ id }) => id)));
  for (const keys of [keyring, withoutLost]) expect((await verifyAs(keys)).broken?.what).toMatch(said);
});

it('another key of the same id is an alarm, also where it is named as lost', async () => {
  const { database, organizationId } = await newChain(2);
  const other = createKeyring([{ id: 'test', key: Buffer.alloc(32, 8) }], ['test']);
  await writeEntries(database, organizationId, 1);
  expect((await verifyChain(database.prisma, other, organizationId)).broken).not.toBeNull();
  await expect(sealUntil(database, organizationId, 3, other)).rejects.toThrow('was edited');
  await sealUntil(database, organizationId, 3);
});
