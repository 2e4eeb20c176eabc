import { afterEach, describe, expect, it } from 'vitest';
import { actorWith, clientToken, integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { type EventListener, listenTo } from '../../support/event-listener.ts';
import { createOrganization, createPatient } from '../../support/factories.ts';
import { eventually } from '../../support/server-process.ts';

const test = await sharedTestApp();
const rows = test.database.prisma;
const EVENTS = '/platform/v1/events';

interface Event {
  id: string;
  type: string;
  subject: { type: string; id: number };
  changed: string[];
  actor: string;
}
interface EventPage {
  data: Event[];
  next: string;
  has_more: boolean;
}

let listeners: EventListener<Event>[] = [];
afterEach(() => {
  for (const listener of listeners) listener.leave();
  listeners = [];
});
async function listen(token: string, query = '', lastEventId?: string): Promise<EventListener<Event>> {
  const listener = await listenTo<Event>(`${test.address}${EVENTS}/stream${query}`, token, lastEventId);
  listeners.push(listener);
  return listener;
}

/** A new practice, with an integration app that writes and a client that follows. */
async function practice(scopes: string[] = ['events.read']) {
  const { id } = await createOrganization(rows);
  const [app, follower] = [await integrationClient(test, { organizationId: id }), await clientToken(test, scopes, [id])];
  return { organizationId: id, app, follower: actorWith(test, follower.token, id) };
}
type Practice = Awaited<ReturnType<typeof practice>>;

async function page({ follower }: Pick<Practice, 'follower'>, query = ''): Promise<EventPage> {
  return (await follower.get(`${EVENTS}${query}`).expect(200)).body;
}

/** Follows the log from a cursor until so many events have come: below the oldest running transaction, of other tests too. */
async function follow(of: Pick<Practice, 'follower'>, count: number, { after = '', filter = '' } = {}) {
  const seen: Event[] = [];
  let next = after;
  await eventually(`${count} events`, async () => {
    const found = await page(of, `?limit=2${next && `&after=${next}`}${filter}`);
    seen.push(...found.data);
    next = found.next;
    return seen.length >= count && !found.has_more;
  });
  return { seen, next };
}

const newPatient = async (app: Practice['app']): Promise<number> =>
  Number((await app.post('/patients').send({ fname: 'Ann', lname: 'Lee' }).expect(200)).body.data.uuid);

describe('the log of events', () => {
  it('shows each change once, in order, whichever API made it, with the names of its fields alone', async () => {
    const clinic = await practice();
    const id = await newPatient(clinic.app);
    await clinic.app.put(`/patients/${id}`).send({ lname: 'Kim' }).expect(200);
    const { seen, next } = await follow(clinic, 2);
    expect(seen.map(({ type, subject }) => [type, subject])).toEqual([
      ['patient.registered', { type: 'patient', id }],
      ['patient.updated', { type: 'patient', id }],
    ]);
    expect(seen[0]?.changed).toEqual(['first_name', 'last_name']);
    expect(seen[1]).toMatchObject({
      id: expect.stringMatching(/^evt_\d+$/),
      changed: ['last_name'],
      actor: `client:${clinic.app.clientId}`,
    });
    expect(JSON.stringify(seen)).not.toMatch(/Kim|Ann/);
    expect(await page(clinic, `?after=${next}`)).toMatchObject({ data: [], has_more: false });
    await clinic.app.put(`/patients/${id}`).send({ lname: 'Roe' }).expect(200);
    expect((await follow(clinic, 1, { after: next })).seen.map(({ changed }) => changed)).toEqual([['last_name']]);
  });

  it('is read from its end with "latest", and by kinds and by record', async () => {
    const clinic = await practice();
    const [ann, bo] = [await newPatient(clinic.app), await newPatient(clinic.app)];
    await follow(clinic, 2);
    const { next: latest } = await page(clinic, '?after=latest');
    await clinic.app.put(`/patients/${bo}`).send({ lname: 'Kim' }).expect(200);
    expect((await follow(clinic, 1, { after: latest })).seen.map(({ subject }) => subject.id)).toEqual([bo]);
    const ofAnn = await follow(clinic, 1, { filter: `&subject=patient:${ann}` });
    expect(ofAnn.seen.map(({ type }) => type)).toEqual(['patient.registered']);
    const updated = await follow(clinic, 1, { filter: '&types=appointment.*,patient.updated' });
    expect(updated.seen.map(({ subject }) => subject.id)).toEqual([bo]);
  });

  it('has the next page behind one in which nothing fits, and passes over those for good', async () => {
    const clinic = await practice();
    const { organizationId } = clinic;
    await rows.$executeRaw`
      INSERT INTO event (organization_id, name, subject_type, subject_id, actor)
      SELECT ${organizationId}, CASE WHEN n = 6000 THEN 'item.ended' ELSE 'item.updated' END, 'item', n, 'test' FROM generate_series(1, 6000) n`;
    await follow(clinic, 1, { filter: '&subject=item:6000' });
    const first = await page(clinic, '?types=item.ended');
    expect(first).toMatchObject({ data: [], has_more: true });
    const second = await page(clinic, `?types=item.ended&after=${first.next}`);
    expect(second).toMatchObject({ data: [{ subject: { id: 6000 } }], has_more: false });
    expect(await page(clinic, `?after=${second.next}`)).toMatchObject({ data: [], has_more: false });
  });

  it('tells nothing of a restricted chart to who may not see it', async () => {
    const clinic = await practice();
    const trusted = actorWith(test, (await clientToken(test, ['events.read', 'restricted.read'], [clinic.organizationId])).token, 0);
    const { id } = await createPatient(rows, { organizationId: clinic.organizationId });
    await rows.privacyRestriction.create({ data: { organizationId: clinic.organizationId, patientId: id, kind: 'record' } });
    await rows.event.create({
      data: { organizationId: clinic.organizationId, name: 'patient.updated', subjectType: 'patient', subjectId: id, actor: 'test' },
    });
    expect((await follow({ follower: trusted }, 1)).seen.map(({ subject }) => subject.id)).toEqual([id]);
    expect(await page(clinic)).toMatchObject({ data: [], has_more: false });
    expect(await page(clinic, `?subject=patient:${id}`)).toMatchObject({ data: [], has_more: false });
  });

  it('is another for each practice', async () => {
    const [clinic, other] = [await practice(), await practice()];
    const id = await newPatient(clinic.app);
    const { next } = await follow(clinic, 1);
    expect((await page(other)).data).toEqual([]);
    expect((await page(other, `?after=${next}`)).data).toEqual([]);
    expect((await page(other, `?subject=patient:${id}`)).data).toEqual([]);
  });

  it('is for clients with the scope and for administrators', async () => {
    const { organizationId, app } = await practice();
    await newPatient(app);
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    expect((await follow({ follower: admin }, 1, { filter: '&types=patient.*' })).seen).toHaveLength(1);
    await (await signedInUser(test, { organizationId, type: 'provider' })).get(EVENTS).expect(403);
    await test.http.get(EVENTS).set('authorization', `Bearer ${app.token}`).expect(403);
    const streamed = await listen(app.token);
    expect(streamed.status).toBe(403);
  });

  it.each([
    ['after', 'nonsense'],
    ['limit', '0'],
    ['limit', '1001'],
    ['types', 'patient.exploded'],
    ['types', 'nothing.*'],
    ['subject', 'patient'],
    ['subject', 'dragon:1'],
    ['subject', 'patient:0'],
  ])('refuses %s=%s, and names it', async (name, value) => {
    const { follower } = await practice();
    const { body } = await follower.get(`${EVENTS}?${new URLSearchParams({ [name]: value })}`).expect(400);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([`/${name}`]);
  });

  it('answers 410 to a cursor after which events were deleted', async () => {
    const clinic = await practice();
    const { next: early } = await page(clinic, '?after=latest');
    await newPatient(clinic.app);
    const { next } = await follow(clinic, 1);
    const last = await rows.event.findFirstOrThrow({ where: { organizationId: clinic.organizationId } });
    const { organizationId, transactionId, id: eventId } = last;
    await rows.eventLogStart.create({ data: { organizationId, transactionId, eventId } });
    const { body } = await clinic.follower.get(`${EVENTS}?after=${early}`).expect(410);
    expect(body).toMatchObject({ status: 410, code: 'cursor_expired' });
    await page(clinic, `?after=${next}`);
    await page(clinic);
    expect((await listen(clinic.follower.token, '', early)).status).toBe(410);
  });
});

describe('the stream of events', () => {
  const heard = ({ events }: EventListener<Event>) => events.map(({ event, data }) => [event, data.subject.id]);
  const hears = (listener: EventListener<Event>, count: number) =>
    eventually(`it hears ${count}`, async () => listener.events.length >= count).then(() => heard(listener));

  it('tells as it happens what the list tells, and goes on where it was left', async () => {
    const clinic = await practice();
    const stream = await listen(clinic.follower.token, '?types=patient.*');
    const ann = await newPatient(clinic.app);
    expect(await hears(stream, 1)).toEqual([['patient.registered', ann]]);
    const listed = await page(clinic);
    expect(stream.events[0]?.data).toEqual(listed.data[0]);
    stream.leave();
    await clinic.app.put(`/patients/${ann}`).send({ lname: 'Kim' }).expect(200);
    const again = await listen(clinic.follower.token, '', stream.events[0]?.id);
    expect(await hears(again, 1)).toEqual([['patient.updated', ann]]);
    expect((await page(clinic, `?after=${stream.events[0]?.id}`)).data).toEqual([again.events[0]?.data]);
    const fromList = await listen(clinic.follower.token, `?after=${stream.events[0]?.id}`);
    expect(await hears(fromList, 1)).toEqual([['patient.updated', ann]]);
    for (const [query, id, pointer] of [
      ['', 'nonsense', '/Last-Event-ID'],
      ['?after=nonsense', '', '/after'],
    ] as const) {
      const { body } = await clinic.follower.get(`/platform/v1/events/stream${query}`).set('Last-Event-ID', id).expect(400);
      expect(body.errors).toMatchObject([{ pointer }]);
    }
  });

  it('is open fifty times for a practice, each of which hears what happens, and for others besides', async () => {
    const clinic = await practice();
    const clients = await Promise.all(Array.from({ length: 10 }, () => clientToken(test, ['events.read'], [clinic.organizationId])));
    const streams = await Promise.all(clients.flatMap(({ token }) => Array.from({ length: 5 }, () => listen(token))));
    const more = await listen((await clientToken(test, ['events.read'], [clinic.organizationId])).token);
    expect([more.status, new Set(streams.map(({ status }) => status))]).toEqual([429, new Set([200])]);
    expect((await listen((await practice()).follower.token)).status).toBe(200);
    const ann = await newPatient(clinic.app);
    for (const stream of streams) expect(await hears(stream, 1)).toEqual([['patient.registered', ann]]);
    for (const stream of streams) stream.leave();
  });

  it('ends when its client is switched off, and takes five of one client', async () => {
    const clinic = await practice();
    const { clientId, token } = await clientToken(test, ['events.read'], [clinic.organizationId]);
    const five: EventListener<Event>[] = [];
    for (let count = 0; count < 5; count += 1) five.push(await listen(token));
    expect(five.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await listen(token)).status).toBe(429);
    five[0]?.leave();
    await eventually('there is room', async () => (await listen(token)).status === 200);
    await rows.apiClient.update({ where: { id: clientId }, data: { active: false } });
    await Promise.all(five.map(({ ended }) => ended));
  });
});
