import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createUser } from '../../../../support/factories.ts';
import { createCheckIn, daysAgo } from '../readings/reported.ts';

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
const colleague = () => createUser(rows(), { organizationId }).then(({ user }) => user);

describe('a review', () => {
  it('began when the check-in was sent, or later', async () => {
    const sentAt = new Date(Date.now() - 4 * 60_000);
    const { id } = await checkIn({ sentAt });
    const send = (data: object) => nurse.post(REVIEWS).send({ checkin_uuid: id, ...data });
    const early = await send({ minutes: 1, started_at: new Date(sentAt.getTime() - 60_000).toISOString() });
    expect([early.status, early.body.errors]).toEqual([
      400,
      [{ pointer: '/started_at', code: 'before_check_in', detail: 'must not be before the check-in was sent' }],
    ]);
    // Without a beginning, it is the minutes that were not there.
    const long = await send({ minutes: 20 });
    expect([long.status, long.body.errors]).toMatchObject([400, [{ pointer: '/minutes', code: 'before_check_in' }]]);
    // Times are shown in whole seconds, and are accepted as they are shown.
    const shown = `${sentAt.toISOString().slice(0, 19)}Z`;
    const answer = await send({ minutes: 4, started_at: shown });
    expect([answer.status, answer.body.data?.started_at]).toEqual([201, shown]);
  });

  it('of work more than thirty days ago is an admin’s, who says why', async () => {
    const { id } = await checkIn({ sentAt: daysAgo(40) });
    const late = { checkin_uuid: id, minutes: 5, started_at: daysAgo(32).toISOString() };
    const refused = await nurse.post(REVIEWS).send({ ...late, reason: 'Forgotten' });
    expect([refused.status, refused.body.code]).toEqual([403, 'late_review']);
    const admin = await signedInUser(test, { organizationId, type: 'admin' });
    const mute = await admin.post(REVIEWS).send(late);
    expect([mute.status, mute.body.errors]).toMatchObject([400, [{ pointer: '/reason', code: 'missing' }]]);
    const { body } = await admin
      .post(REVIEWS)
      .send({ ...late, user_uuid: nurse.user.id, reason: 'Found in the call log.' })
      .expect(201);
    expect((await nurse.get(`${REVIEWS}/${body.data.uuid}`)).body.data).toMatchObject({ late_reason: 'Found in the call log.' });
    // Thirty days are not late, and no reason is kept of them.
    const timely = { ...late, started_at: daysAgo(30).toISOString(), reason: 'Not needed' };
    expect((await nurse.post(REVIEWS).send(timely).expect(201)).body.data).toMatchObject({ late_reason: null });
  });

  it('of more than an hour is held, and so are two of one reviewer at the same time', async () => {
    const [one, other] = [await checkIn({ sentAt: daysAgo(2) }), await checkIn({ sentAt: daysAgo(2) })];
    const write = async ({ id }: { id: number }, hour: string, minutes: number, data: object = {}) => {
      const at = `${daysAgo(1).toISOString().slice(0, 10)}T${hour}:00Z`;
      const answer = await nurse.post(REVIEWS).send({ checkin_uuid: id, started_at: at, minutes, ...data });
      expect(answer.status, answer.text).toBe(201);
      return answer.body.data;
    };
    const holds = async ({ uuid }: { uuid: number }) => (await nurse.get(`${REVIEWS}/${uuid}`)).body.data.holds;
    expect((await write(one, '08:00', 60)).holds).toEqual([]);
    const long = await write(one, '09:00', 61);
    expect(long.holds).toEqual([{ kind: 'long_review', text: '61 minutes, more than 60', overlapping_review_uuids: [], released: null }]);
    // They touch, and do not overlap; a colleague works at the same time.
    const first = await write(one, '11:00', 30);
    await write(other, '11:30', 10);
    await write(other, '11:00', 30, { user_uuid: (await colleague()).id });
    expect(await holds(first)).toEqual([]);
    const second = await write(other, '11:29', 1);
    const overlap = { kind: 'overlapping_reviews', released: null };
    expect(await holds(first)).toMatchObject([{ ...overlap, overlapping_review_uuids: [second.uuid] }]);
    expect(await holds(second)).toMatchObject([
      { ...overlap, overlapping_review_uuids: [first.uuid], text: `overlaps with review ${first.uuid} of the same reviewer` },
    ]);
    // The work of a chart that is not shown takes the reviewer's time too, and is not named.
    await rows().privacyRestriction.create({ data: { organizationId, patientId: other.patientId, kind: 'blocked' } });
    expect(await holds(first)).toMatchObject([
      { ...overlap, overlapping_review_uuids: [], text: 'overlaps with other work of the same reviewer' },
    ]);
    await rows().checkInReview.update({
      where: { organizationId_id: { organizationId, id: second.uuid } },
      data: { deletedAt: new Date() },
    });
    expect(await holds(first)).toEqual([]);
  });
});
