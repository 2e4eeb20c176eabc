import { describe, expect, it } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { readEvents } from '../../src/domain/logs/event-log.ts';
import { txOf } from '../../src/domain/tx.ts';
import { removeOldEvents } from '../../src/jobs/upkeep/clean-up.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { isUpkeep } from '../support/upkeep.ts';
import { fileDatabase, keyring, newChain, sealUntil, writeChange } from './chains.ts';

const place = await fileDatabase();

/** A practice with six sealed events, of which the first three are as many days old. */
async function practiceWithEvents(daysOld: number, policyDays?: number) {
  const chain = await newChain(0, 6, 'a link each', place);
  const { database, organizationId, tamper } = chain;
  if (policyDays !== undefined) await database.prisma.securityPolicy.create({ data: { organizationId, eventDays: policyDays } });
  const events = await database.prisma.event.findMany({ where: { organizationId }, orderBy: [{ transactionId: 'asc' }, { id: 'asc' }] });
  const old = events.slice(0, 3).map(({ id }) => id);
  await tamper(`UPDATE event SET occurred_at = occurred_at - interval '${daysOld} days' WHERE id IN (${old.join(', ')})`);
  const read = (after: string | null) => readEvents(txOf(database.prisma, operator(organizationId, 'test')), { after, limit: 100 });
  return { ...chain, ids: events.map(({ id }) => Number(id)), read, idsKept: async () => (await read(null)).events.map(({ id }) => id) };
}

describe('the log of events', () => {
  it('is kept for ninety days, and its readers are told where it begins no longer with what they read last', async () => {
    const { database, ids, read, idsKept, verify } = await practiceWithEvents(91);
    const first = await readOne(read);
    expect(await idsKept()).toEqual(ids);
    await removeOldEvents(database, keyring);
    expect(await idsKept()).toEqual(ids.slice(3));
    await expect(read(first)).rejects.toMatchObject({ kind: 'gone', code: 'cursor_expired' });
    expect((await verify()).broken).toBeNull();
    await removeOldEvents(database, keyring);
    expect(await idsKept()).toEqual(ids.slice(3));
  });

  it.runIf(isUpkeep).each([
    { days: 30, old: 31, kept: 3 },
    { days: 30, old: 29, kept: 6 },
    { days: 365, old: 91, kept: 6 },
  ])('is kept for $days days where the practice says so', async ({ days, old, kept }) => {
    const { database, idsKept, verify } = await practiceWithEvents(old, days);
    await removeOldEvents(database, keyring);
    expect(await idsKept()).toHaveLength(kept);
    expect((await verify()).broken).toBeNull();
  });

  it.runIf(isUpkeep)('goes on to be sealed and verified after a deletion, and a further event that is missing is found', async () => {
    const { database, organizationId, ids, verify, tamper } = await practiceWithEvents(91);
    await removeOldEvents(database, keyring);
    await writeChange(database, organizationId);
    await sealUntil(database, organizationId, 7);
    expect((await verify()).broken).toBeNull();
    await tamper(`DELETE FROM event WHERE id = ${ids[4]}`);
    expect((await verify()).broken?.what).toContain('events belong to the sealed entries');
  });

  it('loses nothing young to anybody: the database refuses', async () => {
    const { url, database, ids } = await practiceWithEvents(6);
    for (const id of [ids[0], ids[5]]) await expect(runAsOwner(url, `DELETE FROM event WHERE id = ${id}`)).rejects.toThrow('append-only');
    await expect(runAsOwner(url, "UPDATE event SET actor = 'me'")).rejects.toThrow('append-only');
    await expect(database.pool.query(`DELETE FROM event WHERE id = ${ids[0]}`)).rejects.toThrow('permission denied');
  });

  it.runIf(isUpkeep)('keeps what is not sealed yet', async () => {
    const { database, organizationId, idsKept, tamper } = await practiceWithEvents(91);
    await writeChange(database, organizationId);
    await tamper(`UPDATE event SET occurred_at = occurred_at - interval '91 days' WHERE organization_id = ${organizationId}`);
    await removeOldEvents(database, keyring);
    expect(await database.prisma.event.count({ where: { organizationId } })).toBe(1);
    // Once all transactions that began before it have ended, those of other tests too.
    await expect.poll(idsKept, { timeout: 90_000 }).toHaveLength(1);
  });
});

/** The cursor after the first event. */
async function readOne(read: (after: string | null) => ReturnType<typeof readEvents>): Promise<string> {
  const cursor = (await read(null)).events[0]?.cursor;
  if (cursor === undefined) throw new Error('there is no event');
  return cursor;
}
