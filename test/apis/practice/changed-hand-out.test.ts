import { describe, expect, it } from 'vitest';
import type { Db } from '../../../src/database/database.ts';
import { removeExpiredRows } from '../../../src/database/logs/expired-rows.ts';
import { operator } from '../../../src/domain/caller.ts';
import { findChangedRecords } from '../../../src/domain/changes/changed-records.ts';
import { emptyJournal } from '../../../src/domain/journal.ts';
import { txOf } from '../../../src/domain/tx.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createPatient } from '../../support/factories.ts';
import { changedIn, pollUntil, readPage, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;

/** A client of a practice of its own, with a subscription to patients. */
async function following() {
  const client = await practiceClient(test);
  await subscribed(client, 'patients');
  const register = async () => (await client.post('/patients').type('form').send({ lastname: 'Feed' })).body[0].patientid;
  return { client, register };
}

type Following = Awaited<ReturnType<typeof following>>;

/** A patient who was handed out at an instant. */
async function handedOut({ client: { organizationId, clientId } }: Following, at: string): Promise<number> {
  const { id } = await createPatient(rows, { organizationId });
  await rows.changedRecord.create({ data: { organizationId, clientId, feed: 'patients', recordId: id, handedOutAt: new Date(at) } });
  return id;
}

const between = ({ client }: Following, from: string | null, to: string | null, more = '') => {
  const bounds = Object.entries({ showprocessedstartdatetime: from, showprocessedenddatetime: to }).filter(([, bound]) => bound !== null);
  return readPage(
    client,
    'patients',
    `?${new URLSearchParams(Object.fromEntries(bounds.map(([name, bound]) => [name, String(bound)])))}${more}`,
  );
};

describe('Records that were handed out', () => {
  it('are shown again by the time when they were, which stays, and are not handed out by that', async () => {
    const place = await following();
    const [first, second] = [await place.register(), await place.register()];
    await waitUntil(place.client, 'patients', 2);
    expect((await between(place, '01/01/2000', null)).ids).toEqual([]);
    expect(await changedIn(place.client, 'patients')).toEqual([first, second]);
    const third = await place.register();
    await waitUntil(place.client, 'patients', 1);
    for (const time of [1, 2]) expect((await between(place, '01/01/2000', null)).ids, `time ${time}`).toEqual([first, second]);
    expect(await changedIn(place.client, 'patients')).toEqual([third]);
    const page = await between(place, '1/1/2000 00:00:00', null, '&limit=2&offset=1');
    expect(page.ids).toEqual([second, third]);
    expect(page.page.totalcount).toBe(3);
    const { next } = (await between(place, '1/1/2000', null, '&limit=2')).page;
    expect((await place.client.get(String(next).replace(`/v1/${place.client.organizationId}`, ''))).body.patients).toMatchObject([
      { patientid: String(third) },
    ]);
  });

  it('that were handed out several times come once', async () => {
    const place = await following();
    const id = await place.register();
    expect(await pollUntil(place.client, 'patients', 1)).toEqual([id]);
    await place.client.put(`/patients/${id}`).type('form').send({ city: 'Apex' });
    expect(await pollUntil(place.client, 'patients', 1)).toEqual([id]);
    const { ids, page } = await between(place, '1/1/2000', null);
    expect([ids, page.totalcount]).toEqual([[id], 1]);
  });

  it('are found on the clocks of the East, both bounds included to the second, and days as a whole', async () => {
    const place = await following();
    const morning = await handedOut(place, '2027-01-15T14:30:00.900Z');
    const evening = await handedOut(place, '2027-01-16T04:59:59.000Z');
    const nextDay = await handedOut(place, '2027-01-16T05:00:00.000Z');
    expect((await between(place, '01/15/2027 09:30:00', '01/15/2027 09:30:00')).ids).toEqual([morning]);
    expect((await between(place, '01/15/2027 09:30:01', '01/15/2027 23:59:59')).ids).toEqual([evening]);
    expect((await between(place, '1/15/2027', '1/15/2027')).ids).toEqual([morning, evening]);
    expect((await between(place, '01/16/2027', null)).ids).toEqual([nextDay]);
    expect((await between(place, null, '01/15/2027 9:30')).ids).toEqual([morning]);
  });

  it('of the hour that comes twice are found in it twice, and a time that is skipped is when the clocks change', async () => {
    const place = await following();
    // On November 7, 2027 the clocks go from 2:00 back to 1:00, at 06:00Z; on March 14, 2027 from 2:00 to 3:00, at 07:00Z.
    const summer = await handedOut(place, '2027-11-07T05:30:00Z');
    const winter = await handedOut(place, '2027-11-07T06:30:00Z');
    expect((await between(place, '11/07/2027 01:30:00', '11/07/2027 01:30:00')).ids).toEqual([summer, winter]);
    expect((await between(place, '11/07/2027 01:31:00', '11/07/2027 01:59:59')).ids).toEqual([winter]);
    const before = await handedOut(place, '2027-03-14T06:59:59Z');
    const after = await handedOut(place, '2027-03-14T07:00:00Z');
    expect((await between(place, '03/14/2027 02:30:00', '03/14/2027 03:30:00')).ids).toEqual([after]);
    expect((await between(place, '03/14/2027', '03/14/2027 01:59:59')).ids).toEqual([before]);
  });

  it.each([
    ['01/32/2027', '', 'showprocessedstartdatetime'],
    ['2027-01-15', '', 'showprocessedstartdatetime'],
    ['01/15/2027 25:00:00', '', 'showprocessedstartdatetime'],
    ['', '01/15/2027 09:30:00Z', 'showprocessedenddatetime'],
    ['01/16/2027', '01/15/2027', 'showprocessedstartdatetime'],
  ])('are not looked for from %j to %j', async (from, to, field) => {
    const { client } = await following();
    const query = new URLSearchParams({ showprocessedstartdatetime: from, showprocessedenddatetime: to });
    const answer = await client.get(`/patients/changed?${query}`);
    expect([answer.status, answer.body.invalidfields]).toEqual([400, [field]]);
  });

  it('are forgotten after 30 days, and those that wait are not', async () => {
    const place = await following();
    const waiting = await place.register();
    await waitUntil(place.client, 'patients', 1);
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
    const late = await handedOut(place, daysAgo(29));
    await handedOut(place, daysAgo(31));
    await removeExpiredRows(rows);
    expect((await between(place, '1/1/2000', null)).ids).toEqual([late]);
    expect(await changedIn(place.client, 'patients')).toEqual([waiting]);
  });
});

describe('Two who ask at once', () => {
  it('get each record once, between them', async () => {
    const { client, register } = await following();
    const ids: number[] = [];
    for (let count = 0; count < 12; count += 1) ids.push(await register());
    await waitUntil(client, 'patients', ids.length);
    const pages = await Promise.all(Array.from({ length: 6 }, () => changedIn(client, 'patients', '?limit=3')));
    expect(pages.map(({ length }) => length).toSorted()).toEqual([0, 0, 3, 3, 3, 3]);
    expect(pages.flat().toSorted((a, b) => a - b)).toEqual(ids);
  });

  it('subscribe and end their subscription without harm', async () => {
    const client = await practiceClient(test);
    const path = '/patients/changed/subscription';
    for (let round = 0; round < 5; round += 1) {
      const begun = await Promise.all([client.post(path), client.post(path), client.post(`${path}?eventname=AddPatient`)]);
      expect(begun.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await client.get(path)).body.status).toBe('ACTIVE');
      const ended = await Promise.all([client.delete(path), client.delete(path)]);
      expect(ended.map(({ status }) => status)).toEqual([200, 200]);
    }
  });
});

describe('A change that is committed late', () => {
  it('is told after the others, and none is told twice', async () => {
    const { client, register } = await following();
    const { organizationId } = client;
    const ids: number[] = [];
    const seen: number[] = [];
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let round = 0; round < 4; round += 1) {
        await rows.$transaction(async (tx) => {
          // The transaction gets its number now, and commits after others that begin later.
          await tx.$queryRaw`SELECT pg_current_xact_id()::text, pg_sleep(${((writer * 7 + round * 3) % 10) / 50})::text`;
          const { id } = await createPatient(tx, { organizationId });
          const data = { organizationId, name: 'patient.registered', subjectType: 'patient', subjectId: id, actor: 'operator' };
          await tx.event.create({ data });
          ids.push(id);
        });
        ids.push(await register());
      }
    });
    const writing = Promise.all(writers);
    let isOver = false;
    void writing.finally(() => {
      isOver = true;
    });
    while (!isOver) seen.push(...(await changedIn(client, 'patients', '?limit=3')));
    await writing;
    while (seen.length < ids.length) seen.push(...(await changedIn(client, 'patients', '?limit=3')));
    expect(seen.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
    expect(await changedIn(client, 'patients')).toEqual([]);
  });
});

describe('A call that ends before it is committed', () => {
  it.each([
    ['by an error', async () => Promise.reject(new Error('the process ends here'))],
    ['with its connection', async (db: Db) => db.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())::text`],
  ])('%s leaves its records to the next one', async (_how, end: (db: Db) => Promise<unknown>) => {
    const { client, register } = await following();
    const id = await register();
    await waitUntil(client, 'patients', 1);
    const query = { officeIds: null, patientIds: null, providerIds: null, limit: 10, offset: 0, which: 'take' } as const;
    const who = { ...operator(client.organizationId, 'test'), actor: `client:${client.clientId}` };
    const taken: number[][] = [];
    const call = rows.$transaction(async (db) => {
      taken.push((await findChangedRecords(txOf(db, { ...who, journal: emptyJournal() }), 'patients', query)).recordIds);
      await end(db);
    });
    await expect(call).rejects.toThrow();
    expect(taken).toEqual([[id]]);
    expect(await changedIn(client, 'patients')).toEqual([id]);
  });
});
