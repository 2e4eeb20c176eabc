import { Agent, type IncomingMessage, request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNotificationStreams, type NewFollowing } from '../../../../src/http/streams/notification-streams.ts';
import { createLogger } from '../../../../src/http/telemetry/logger.ts';
import { signedInUser } from '../../../support/actors.ts';
import { ownTestApp, startTestApp, type TestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';
import { eventually } from '../../../support/server-process.ts';
import { createCheckIn } from '../monitoring/readings/reported.ts';
import { type Listener, listen } from './listener.ts';

let listeners: Listener[];
const test = await ownTestApp();
const rows = () => test.database.prisma;
/** A second server on the same database. */
const other = await ownTestApp({}, { databaseUrl: test.databaseUrl });
const nurse = await signedInUser(test);
const organizationId = nurse.organizationId;
const doctor = await signedInUser(test, { organizationId, type: 'provider' });
const patientId = (await createPatient(rows(), { organizationId })).id;
beforeEach(async () => {
  listeners = [];
  await rows().notification.deleteMany();
});
afterEach(() => {
  for (const listener of listeners) listener.leave();
});

async function open(token = doctor.token, { at = test, lastEventId }: { at?: TestApp; lastEventId?: string } = {}): Promise<Listener> {
  const listener = await listen(at.address, token, lastEventId);
  listeners.push(listener);
  return listener;
}

/** The nurse reviews a check-in, and the doctor is notified. @returns the review's id */
async function review(of = patientId): Promise<number> {
  const { id } = await createCheckIn(rows(), { organizationId, patientId: of });
  const body = { checkin_uuid: id, minutes: 5, user_uuid: doctor.user.id };
  const answer = await nurse.post('/remote-patient-monitoring/checkin-reviews').send(body).expect(201);
  return answer.body.data.uuid;
}

const heard = ({ events }: Listener) => events.map(({ data }) => data.subject.uuid);
const hears = (listener: Listener, ...reviews: number[]) =>
  eventually(`it hears ${reviews.length}`, async () => heard(listener).length >= reviews.length).then(() =>
    expect(heard(listener)).toEqual(reviews),
  );

describe('a stream of notifications', () => {
  it('tells as it happens, whichever process is asked, and only who is meant', async () => {
    const [here, there, nurses] = [await open(), await open(doctor.token, { at: other }), await open(nurse.token)];
    expect([here.status, here.headers['content-type'], here.headers['cache-control']]).toEqual([200, 'text/event-stream', 'no-store']);
    const made = await review();
    await Promise.all([hears(here, made), hears(there, made)]);
    const [event] = here.events;
    const { data } = (await doctor.get('/notifications')).body;
    expect(event).toMatchObject({
      event: 'notification',
      data: {
        uuid: data[0].uuid,
        kind: 'checkin_review.created',
        subject: { type: 'checkin_review', uuid: made },
        created_at: data[0].created_at,
      },
    });
    expect(nurses.events).toEqual([]);
  });

  it('goes on where it was left, and misses nothing', async () => {
    const listener = await open();
    const first = await review();
    await hears(listener, first);
    listener.leave();
    await listener.ended;
    const [second, third] = [await review(), await review()];
    const back = await open(doctor.token, { at: other, lastEventId: listener.lastEventId() ?? '' });
    await hears(back, second, third);
  });

  it('misses nothing either where it was left before the first event', async () => {
    const listener = await open();
    await eventually('it has begun', async () => listener.lastEventId() !== null);
    listener.leave();
    const made = await review();
    await hears(await open(doctor.token, { lastEventId: listener.lastEventId() ?? '' }), made);
  });

  it('tells also of what is stored late, after what came later', async () => {
    const listener = await open();
    const about = { organizationId, userId: doctor.user.id, kind: 'checkin_review.created', subjectType: 'checkin_review' };
    const later = await rows().$transaction(async (tx) => {
      await tx.notification.create({ data: { ...about, subjectId: 1_000_001 } });
      // Stored and committed by another transaction, while this one is open.
      return review();
    });
    await hears(listener, 1_000_001, later);
  });

  it('tells nothing of a patient who has been restricted since, and neither does the list', async () => {
    const listener = await open();
    await eventually('it has begun', async () => listener.lastEventId() !== null);
    listener.leave();
    await listener.ended;
    const { id: hiddenId } = await createPatient(rows(), { organizationId });
    await review(hiddenId);
    await rows().privacyRestriction.create({ data: { organizationId, patientId: hiddenId, kind: 'record' } });
    const shown = await review();
    await hears(await open(doctor.token, { lastEventId: listener.lastEventId() ?? '' }), shown);
    const list = (await doctor.get('/notifications')).body;
    expect(list).toMatchObject({ data: [{ subject: { uuid: shown } }], meta: { total: 1 } });
    const [hidden] = await rows().notification.findMany({ where: { organizationId, subjectId: { not: shown } } });
    await doctor.put(`/notifications/${hidden?.id}`).send({}).expect(404);
  });

  it('is refused a place that was never given out', async () => {
    const listener = await open(doctor.token, { lastEventId: 'somewhere' });
    expect(listener.status).toBe(400);
    await listener.ended;
    expect(listener.text()).toContain('Last-Event-ID');
  });

  it('ends with the session, on whichever process that ends', async () => {
    const leaving = await signedInUser(test, { organizationId });
    const [here, there, stays] = [await open(leaving.token), await open(leaving.token, { at: other }), await open()];
    await leaving.post('/logout').expect(204);
    await Promise.all([here.ended, there.ended]);
    await hears(stays, await review());
  });

  it('ends with its server, which does not wait for it', async () => {
    const third = await startTestApp({}, { databaseUrl: test.databaseUrl });
    const listener = await open(doctor.token, { at: third });
    await third.close();
    await listener.ended;
  });

  it('ends whole, so that its connection serves on, and holds up no server that stops', async () => {
    const third = await startTestApp({}, { databaseUrl: test.databaseUrl });
    const leaving = await signedInUser(test, { organizationId });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (method: string, token: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` };
        request(`${third.address}/notifications/stream`, { method, headers, agent }, resolve).once('error', reject).end();
      });
    const stream = await ask('GET', leaving.token);
    const { localPort } = stream.socket;
    await leaving.post('/logout').expect(204);
    await new Promise((resolve) => stream.resume().once('end', resolve));
    expect(stream.complete).toBe(true);
    const head = await ask('HEAD', doctor.token);
    expect([head.statusCode, head.socket.localPort]).toEqual([200, localPort]);
    await third.close();
    agent.destroy();
  });

  it('answers HEAD without one', async () => {
    const answer = await test.http.head('/notifications/stream').set('authorization', `Bearer ${doctor.token}`);
    expect([answer.status, answer.type]).toEqual([200, 'text/event-stream']);
  });
});

describe('the streams of a process', () => {
  const follow = async (streams: ReturnType<typeof createNotificationStreams>, more: Partial<NewFollowing> = {}) => {
    const { id: sessionId } = await rows().session.findFirstOrThrow({ where: { organizationId, userId: doctor.user.id } });
    const endsAt = new Date(Date.now() + 60_000);
    return streams.follow({
      organizationId,
      userId: doctor.user.id,
      sessionId,
      cursor: null,
      endsAt,
      write: () => 'x'.repeat(300_000),
      ...more,
    });
  };
  const start = (options: object = {}) => createNotificationStreams(rows(), createLogger({ LOG_LEVEL: 'silent' }), options);

  it('end with the token', async () => {
    const stream = await follow(start(), { endsAt: new Date(Date.now() + 100) });
    await new Promise((resolve) => stream.resume().once('end', resolve));
  });

  it('say now and then that they are still there', async () => {
    const stream = await follow(start({ heartbeatMs: 1 }));
    let said = '';
    stream.on('data', (chunk) => {
      said += chunk;
    });
    await eventually('it beats', async () => said.includes(': still here\n\n'));
    stream.destroy();
  });

  it('leave who does not read, who can come again', async () => {
    const stream = await follow(start());
    await review();
    await new Promise((resolve) => stream.once('close', resolve));
  });

  it('are ten of one user at most: the oldest ends', async () => {
    const streams = start();
    const first = await follow(streams);
    const ended = new Promise((resolve) => first.resume().once('end', resolve));
    const rest = await Promise.all(Array.from({ length: 10 }, () => follow(streams)));
    await ended;
    expect(rest.every(({ readableEnded, destroyed }) => !readableEnded && !destroyed)).toBe(true);
    streams.close();
  });

  it('begin no more once they are closed', async () => {
    const streams = start();
    streams.close();
    const stream = await follow(streams);
    await new Promise((resolve) => stream.resume().once('end', resolve));
  });
});

describe('the list of notifications', () => {
  it('is the caller’s own, the newest first, page by page', async () => {
    const made = [await review(), await review(), await review()];
    const { body } = await doctor.get('/notifications?limit=2').expect(200);
    expect(body.data.map(({ subject }: { subject: { uuid: number } }) => subject.uuid)).toEqual([made[2], made[1]]);
    expect(body.meta).toMatchObject({ total: 3, last_page: 2 });
    expect((await nurse.get('/notifications')).body.data).toEqual([]);
  });

  it('says which were read, and of others not even that they exist', async () => {
    await review();
    const [{ uuid }] = (await doctor.get('/notifications?unread=1')).body.data;
    await nurse.put(`/notifications/${uuid}`).expect(404);
    const { body, headers } = await doctor.put(`/notifications/${uuid}`).expect(200);
    expect(body.data.read_at).not.toBeNull();
    expect((await doctor.put(`/notifications/${uuid}`).send({ read: true })).body).toEqual(body);
    expect((await doctor.get('/notifications?unread=1')).body.data).toEqual([]);
    const events = await rows().event.count({ where: { organizationId, name: 'notification.read', subjectId: uuid } });
    expect(events).toBe(1);
    await doctor.put(`/notifications/${uuid}`).set('if-match', '"old"').send({ read: false }).expect(412);
    const unread = await doctor
      .put(`/notifications/${uuid}`)
      .set('if-match', headers.etag ?? '')
      .send({ read: false });
    expect([unread.status, unread.body.data.read_at]).toEqual([200, null]);
  });
});
