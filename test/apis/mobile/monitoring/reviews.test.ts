import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient, createProvider, createUser } from '../../../support/factories.ts';
import { createCheckIn, createReview, daysAgo } from './readings/reported.ts';

const REVIEWS = '/remote-patient-monitoring/checkin-reviews';

const test = await sharedTestApp();
let nurse: Awaited<ReturnType<typeof signedInUser>>;
let organizationId: number;
beforeEach(async () => {
  nurse = await signedInUser(test);
  organizationId = nurse.organizationId;
});

const rows = () => test.database.prisma;
const checkIn = (data: object = {}) => createCheckIn(rows(), { organizationId, ...data });
const colleague = (data: object = {}) => createUser(rows(), { organizationId, ...data }).then(({ user }) => user);
const listNotified = async () =>
  (await rows().notification.findMany({ where: { organizationId }, orderBy: { userId: 'asc' } })).map(({ userId }) => userId);
const events = async () =>
  (await rows().event.findMany({ where: { organizationId }, orderBy: { id: 'asc' } })).map(({ name, subjectId }) => `${name} ${subjectId}`);

describe('a review', () => {
  it('is kept with its minutes, and is read as it was written', async () => {
    const { id, patientId } = await checkIn();
    const answer = await nurse.post(REVIEWS).send({
      checkin_uuid: String(id),
      user_uuid: nurse.user.id,
      patient_uuid: patientId,
      message: 'Called about the reading.',
      display: 1,
      minutes: 12,
      live_contact: true,
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toMatchObject({
      checkin_uuid: id,
      user_uuid: nurse.user.id,
      patient_uuid: patientId,
      patient: { uuid: patientId },
      message: 'Called about the reading.',
      display: 1,
      minutes: 12,
      live_contact: true,
      created_by: { uuid: nurse.user.id },
    });
    const { started_at, ended_at } = answer.body.data;
    expect(Date.parse(ended_at) - Date.parse(started_at)).toBe(12 * 60_000);
    expect(Math.abs(Date.parse(ended_at) - Date.now())).toBeLessThan(60_000);
    const read = await nurse.get(`${REVIEWS}/${answer.body.data.uuid}`);
    expect(read.body).toEqual(answer.body);
    expect(read.headers.etag).toBe(answer.headers.etag);
    expect(await events()).toContain(`check_in_review.created ${answer.body.data.uuid}`);
    const audit = await rows().auditEntry.findMany({
      where: { organizationId, action: 'read', resource: 'patient', resourceIds: { has: patientId } },
      orderBy: { id: 'asc' },
    });
    expect(audit.length).toBeGreaterThan(0);
  });

  it('needs no more than its check-in and its minutes: it is the caller’s, hidden, without contact', async () => {
    const { id, patientId } = await checkIn({ answeredAt: null });
    const { body } = await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 3 }).expect(201);
    expect(body.data).toMatchObject({ user_uuid: nurse.user.id, patient_uuid: patientId, display: 0, live_contact: false, message: null });
  });

  it('begins when its author says, by the clocks of the practice', async () => {
    const { id } = await checkIn({ sentAt: new Date('2026-07-01T12:00:00Z') });
    const work = { checkin_uuid: id, minutes: 20, started_at: '2026-07-01T09:30:00', reason: 'Noted on paper.' };
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    const answer = await admin.post(REVIEWS).send(work).expect(201);
    expect(answer.body.data).toMatchObject({ started_at: '2026-07-01T13:30:00Z', ended_at: '2026-07-01T13:50:00Z' });
  });

  it.each([
    ['no minutes', { minutes: undefined }, 'minutes'],
    ['half a minute', { minutes: 0.5 }, 'minutes'],
    ['more minutes than a day of work', { minutes: 481 }, 'minutes'],
    ['another display than 0 or 1', { display: 2 }, 'display'],
    ['an end in the future', { started_at: new Date(Date.now() + 3_600_000).toISOString() }, 'started_at'],
    ['an endless message', { message: 'x'.repeat(4_001) }, 'message'],
  ])('with %s is refused, and the field named', async (_, data, field) => {
    const { id } = await checkIn();
    const answer = await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 5, ...data });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: `/${field}` }]);
    expect(await rows().checkInReview.count({ where: { organizationId } })).toBe(0);
  });

  it('of another patient than the check-in’s is refused', async () => {
    const { id } = await checkIn();
    const other = await createPatient(rows(), { organizationId });
    const answer = await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 5, patient_uuid: other.id });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '/patient_uuid', code: 'other_patient' }]);
  });

  it('names only check-ins and users of the organization', async () => {
    const stranger = await signedInUser(test);
    const theirs = await createCheckIn(rows(), { organizationId: stranger.organizationId });
    const own = await checkIn();
    await nurse.post(REVIEWS).send({ checkin_uuid: theirs.id, minutes: 5 }).expect(404);
    await nurse.post(REVIEWS).send({ checkin_uuid: own.id, minutes: 5, user_uuid: stranger.user.id }).expect(404);
    const review = await createReview(rows(), theirs, { userId: stranger.user.id });
    await nurse.get(`${REVIEWS}/${review.id}`).expect(404);
    await nurse.delete(`${REVIEWS}/${review.id}`).expect(404);
    expect((await nurse.get(REVIEWS)).body.meta.total).toBe(0);
  });
});

describe('who is told of a review', () => {
  it('is whose work it was, the users of tracked conditions and the primary provider’s, each once', async () => {
    const [named, tracking, before, doctor] = await Promise.all([1, 2, 3, 4].map(() => colleague()));
    const provider = await createProvider(rows(), { organizationId, userId: doctor?.id ?? 0 });
    const patient = await createPatient(rows(), { organizationId, primaryProviderId: provider.id });
    const condition = { organizationId, patientId: patient.id, icdCode: 'I10' };
    await rows().trackedCondition.createMany({
      data: [
        { ...condition, userId: tracking?.id ?? 0 },
        { ...condition, userId: doctor?.id ?? 0 },
        { ...condition, userId: before?.id ?? 0, endedAt: daysAgo(1) },
      ],
    });
    const { id } = await checkIn({ patientId: patient.id });
    await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 5, user_uuid: named?.id }).expect(201);
    expect(await listNotified()).toEqual([named?.id, tracking?.id, doctor?.id].sort((a, b) => Number(a) - Number(b)));
    expect(
      await rows()
        .$queryRaw`SELECT count(*)::int AS count FROM queue.job WHERE name = 'send-push' AND data->>'organizationId' = ${String(organizationId)}`,
    ).toEqual([{ count: 3 }]);
  });

  it('is not the caller where there is somebody else, and the caller where there is nobody', async () => {
    const { id } = await checkIn();
    const { id: otherId } = await colleague();
    await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 5, user_uuid: otherId }).expect(201);
    expect(await listNotified()).toEqual([otherId]);
    await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 5 }).expect(201);
    expect(await listNotified()).toEqual([nurse.user.id, otherId].sort((a, b) => a - b));
  });

  it('is nobody who wants no notices, or has left', async () => {
    const quiet = await colleague({ receivePushNotices: false });
    const left = await colleague({});
    const patient = await createPatient(rows(), { organizationId });
    await rows().trackedCondition.create({ data: { organizationId, patientId: patient.id, icdCode: 'I10', userId: left.id } });
    await rows().user.update({ where: { organizationId_id: { organizationId, id: left.id } }, data: { active: false } });
    const { id } = await checkIn({ patientId: patient.id });
    await nurse.post(REVIEWS).send({ checkin_uuid: id, minutes: 5, user_uuid: quiet.id }).expect(201);
    expect(await listNotified()).toEqual([nurse.user.id]);
  });

  it('is told once for one request, however often it is sent', async () => {
    const { id } = await checkIn();
    const { id: otherId } = await colleague();
    const send = () => nurse.post(REVIEWS).set('idempotency-key', 'one').send({ checkin_uuid: id, minutes: 5, user_uuid: otherId });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(again.text).toBe(first.text);
    expect(await listNotified()).toEqual([otherId]);
  });
});

describe('the list of reviews', () => {
  it('is by beginning, the newest first, and as it is asked for', async () => {
    const own = await checkIn();
    const made: number[] = [];
    for (const [minutes, days] of [
      [10, 3],
      [30, 1],
      [20, 2],
    ] as const) {
      made.push((await createReview(rows(), own, { userId: nurse.user.id, minutes, startedAt: daysAgo(days) })).id);
    }
    const order = async (query: string) =>
      (await nurse.get(`${REVIEWS}?${query}`)).body.data.map(({ uuid }: { uuid: number }) => made.indexOf(uuid));
    expect(await order('')).toEqual([1, 2, 0]);
    expect(await order('order=asc')).toEqual([0, 2, 1]);
    expect(await order('sort=minutes&order=DESC')).toEqual([1, 2, 0]);
    expect(await order('sort=id&order=ASC&limit=2&page=2')).toEqual([2]);
    expect(await order('sort=title')).toEqual([0, 1, 2]);
    expect(await order('sort=title&order=DESC')).toEqual([2, 1, 0]);
    const wrong = await nurse.get(`${REVIEWS}?sort=colour`);
    expect(wrong.status).toBe(400);
    expect(wrong.body.detail).toMatch(/started_at.*created_at.*minutes/);
  });

  it('keeps to dates, by the clocks of the practice, and to the own organization', async () => {
    const own = await checkIn();
    const at = (startedAt: string) => createReview(rows(), own, { userId: nurse.user.id, startedAt: new Date(startedAt) });
    // 31 October 2026 ends at 04:00 UTC; 1 November has 25 hours.
    await at('2026-11-01T03:59:00Z');
    const first = await at('2026-11-01T04:00:00Z');
    const last = await at('2026-11-02T04:59:00Z');
    await at('2026-11-02T05:00:00Z');
    const day = `start_date=2026-11-01&end_date=2026-11-01&order=ASC&org_uuid=${organizationId}`;
    const { body } = await nurse.get(`${REVIEWS}?${day}`).expect(200);
    expect(body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual([first.id, last.id]);
    expect(body.links.first).toContain('start_date=2026-11-01');
    const stranger = await signedInUser(test);
    await nurse.get(`${REVIEWS}?org_uuid=${stranger.organizationId}`).expect(404);
    await nurse.get(`${REVIEWS}?start_date=2026-13-01`).expect(400);
  });
});

describe('a deleted review', () => {
  it.each(['/', ''])('is gone from lists and counts; its path may have %j before the id', async (slash) => {
    const own = await checkIn();
    const { body } = await nurse.post(REVIEWS).send({ checkin_uuid: own.id, minutes: 5 }).expect(201);
    const count = async () => (await nurse.get(`/remote-patient-monitoring/checkins/count/${nurse.user.id}`)).body.data;
    await rows().checkIn.update({ where: { organizationId_id: { organizationId, id: own.id } }, data: { sentByUserId: nurse.user.id } });
    expect(await count()).toMatchObject({ total: 1, reviewed: 1, unreviewed: 0 });
    await nurse.delete(`${REVIEWS}${slash}${body.data.uuid}`).expect(204);
    await nurse.get(`${REVIEWS}/${body.data.uuid}`).expect(404);
    await nurse.delete(`${REVIEWS}${slash}${body.data.uuid}`).expect(404);
    expect((await nurse.get(REVIEWS)).body.data).toEqual([]);
    expect(await count()).toMatchObject({ total: 1, reviewed: 0, unreviewed: 1 });
    expect(await rows().checkInReview.findFirst({ where: { organizationId, id: body.data.uuid } })).toMatchObject({
      deletedAt: expect.any(Date),
    });
    expect(await events()).toContain(`check_in_review.deleted ${body.data.uuid}`);
    const audit = await rows().auditEntry.findFirst({ where: { organizationId, resource: 'check_in_review', action: 'delete' } });
    expect(audit).toMatchObject({ resourceIds: [body.data.uuid], patientIds: [own.patientId] });
  });

  it('was deleted by its author or an admin, and by nobody else', async () => {
    const author = await signedInUser(test, { organizationId, type: 'provider' });
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    const own = await checkIn();
    // The nurse did the work; the provider created the review.
    const write = () => author.post(REVIEWS).send({ checkin_uuid: own.id, minutes: 5, user_uuid: nurse.user.id });
    const [first, second] = [await write(), await write()].map(({ body }) => body.data.uuid);
    const refused = await nurse.delete(`${REVIEWS}/${first}`);
    expect([refused.status, refused.body.code]).toEqual([403, 'not_the_author']);
    await author.delete(`${REVIEWS}/${first}`).expect(204);
    await admin.delete(`${REVIEWS}/${second}`).expect(204);
  });
});
