import { describe, expect, it } from 'vitest';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType, createProvider, createUser } from '../../../support/factories.ts';

const test = await sharedTestApp();
const careful = await signedInUser(test, { organization: { doubleBooking: 'refuse' } });
const easy = await signedInUser(test);

type Person = typeof careful;

/** Somebody whose calendar is empty. */
const someone = async ({ organizationId }: Person) => (await createUser(test.database.prisma, { organizationId })).user.id;

const book = (who: Person, users: number[], date: string | null, more: object = {}) =>
  who.post('/appointments/').send({ appointment_date: date, 'user[]': users, ...more });

async function booked(who: Person, users: number[], date: string | null, more: object = {}): Promise<number> {
  const answer = await book(who, users, date, more);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.uuid;
}

/** Sends again after a 503, as a client would; nothing was stored then. */
async function bookPatiently(who: Person, users: number[], date: string) {
  for (;;) {
    const answer = await book(who, users, date);
    if (answer.status !== 503) return answer;
  }
}

const NINE = '2031-03-04T09:00:00';
const refusal = (user: number, pointer = '/appointment_date') => ({
  status: 409,
  code: 'double_booked',
  detail: expect.stringMatching(
    new RegExp(`^User ${user} has appointment \\d+ from 2031-03-04T09:00:00 to 2031-03-04T09:30:00 in America/New_York\\.$`),
  ),
  errors: [{ pointer, code: 'double_booked', detail: expect.stringContaining('2031-03-04T09:00:00') }],
});

describe('where the organization refuses double booking', () => {
  it('gives one slot to one of 200 who ask for it at once, and tells the others which slot is taken', { timeout: 60_000 }, async () => {
    const user = await someone(careful);
    const answers = await Promise.all(Array.from({ length: 200 }, () => bookPatiently(careful, [user], NINE)));
    expect(Object.entries(Object.groupBy(answers, ({ status }) => status)).map(([status, all = []]) => [status, all.length])).toEqual([
      ['201', 1],
      ['409', 199],
    ]);
    for (const { body } of answers.filter(({ status }) => status === 409)) expect(body).toMatchObject(refusal(user));
    const { organizationId } = careful;
    expect(await test.database.prisma.userAppointment.count({ where: { organizationId, userId: user } })).toBe(1);
  });

  it('keeps the time of a provider who has no user', async () => {
    const { id } = await createProvider(test.database.prisma, { organizationId: careful.organizationId });
    const first = await booked(careful, [], NINE, { provider_id: id });
    const second = await book(careful, [], '2031-03-04T09:15:00', { provider_id: id });
    expect([second.status, second.body.code]).toEqual([409, 'double_booked']);
    expect(second.body.detail).toContain(`The provider has appointment ${first} from`);
    await booked(careful, [], '2031-03-04T09:30:00', { provider_id: id });
    await careful.post(`/appointments/${first}`).send({ duration_minutes: 45 }).expect(409);
  });

  it('lets users take part in one appointment after the other, and different users at one time', async () => {
    const [one, another] = [await someone(careful), await someone(careful)];
    await booked(careful, [one], NINE);
    await booked(careful, [one], '2031-03-04T09:30:00');
    await booked(careful, [one], '2031-03-04T08:30:00');
    await booked(careful, [another], NINE);
    expect((await book(careful, [another, one], '2031-03-04T09:15:00')).body).toMatchObject(refusal(Math.min(one, another)));
  });

  it('refuses what overlaps at either end, around or inside', async () => {
    const user = await someone(careful);
    const long = await createAppointmentType(test.database.prisma, { organizationId: careful.organizationId, durationMinutes: 120 });
    await booked(careful, [user], NINE);
    for (const date of ['2031-03-04T08:31:00', '2031-03-04T09:29:59', NINE]) {
      expect((await book(careful, [user], date)).body).toMatchObject(refusal(user));
    }
    expect((await book(careful, [user], '2031-03-04T08:00:00', { type: long.id })).body).toMatchObject(refusal(user));
  });

  it('refuses moving into a slot that is taken, and becoming so long', async () => {
    const user = await someone(careful);
    await booked(careful, [user], NINE);
    const uuid = await booked(careful, [user], '2031-03-04T08:30:00');
    const long = await createAppointmentType(test.database.prisma, { organizationId: careful.organizationId, durationMinutes: 45 });
    for (const change of [{ appointment_date: '2031-03-04T09:10:00' }, { appointment_type_id: long.id }]) {
      const answer = await careful.post(`/appointments/${uuid}`).send(change);
      expect(answer.body).toMatchObject(refusal(user));
    }
    expect((await careful.get(`/appointments/${uuid}`)).body.data).toMatchObject({
      appointment_date_local: '2031-03-04T08:30:00',
      duration_minutes: 30,
      type: null,
    });
    // Within its own slot it is in nobody's way.
    expect((await careful.post(`/appointments/${uuid}`).send({ appointment_date: '2031-03-04T08:20:00' })).status).toBe(200);
  });

  it('refuses giving an appointment a date, or a user, who has no time then', async () => {
    const user = await someone(careful);
    await booked(careful, [user], NINE);
    const undated = await booked(careful, [user], null);
    expect((await careful.post(`/appointments/${undated}`).send({ appointment_date: NINE })).body).toMatchObject(refusal(user));
    const unmanned = await booked(careful, [], NINE);
    expect((await careful.post(`/appointments/${unmanned}`).send({ 'user[]': [user] })).body).toMatchObject(refusal(user, '/user[]'));
    expect((await careful.post(`/appointments/${unmanned}`).send({ user: [user] })).body).toMatchObject(refusal(user, '/user'));
  });

  it('moves one user out and another in with one request, where the one who leaves would be in the way', async () => {
    const [leaving, joining] = [await someone(careful), await someone(careful)];
    await booked(careful, [leaving], NINE);
    const uuid = await booked(careful, [leaving], '2031-03-04T10:00:00');
    const answer = await careful.post(`/appointments/${uuid}`).send({ 'user[]': [joining], appointment_date: NINE });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data.users).toEqual([expect.objectContaining({ uuid: joining })]);
  });

  it('frees the slot of a cancelled appointment', async () => {
    const user = await someone(careful);
    const uuid = await booked(careful, [user], NINE);
    await careful.delete(`/appointments/${uuid}`).expect(204);
    await booked(careful, [user], NINE);
  });

  it('holds through the integration API as well, also with If-Match', async () => {
    const user = await someone(careful);
    await booked(careful, [user], NINE);
    const uuid = await booked(careful, [user], '2031-03-04T12:00:00');
    const app = await integrationClient(test, { organizationId: careful.organizationId });
    const { etag } = (await app.get(`/appointments/${uuid}`)).headers;
    for (const call of [app.put(`/appointments/${uuid}`), app.put(`/appointments/${uuid}`).set('if-match', String(etag))]) {
      const answer = await call.send({ appointment_date: NINE });
      expect([answer.status, answer.body.exception]).toEqual([409, 'ConflictException']);
      expect(answer.body.message).toContain('appointment_date: User');
    }
  });

  it('gives crossing wishes of two users to somebody, and never hangs', async () => {
    const [one, another] = [await someone(careful), await someone(careful)];
    for (let round = 0; round < 3; round += 1) {
      const date = `2031-03-0${round + 5}T09:00:00`;
      const answers = await Promise.all([book(careful, [one, another], date), book(careful, [another, one], date)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });
});

describe('where the organization allows double booking', () => {
  it('lets a user take part in two appointments at one time', async () => {
    const user = await someone(easy);
    const [one, another] = [await booked(easy, [user], NINE), await booked(easy, [user], NINE)];
    expect((await easy.post(`/appointments/${another}`).send({ appointment_date: '2031-03-04T09:10:00' })).status).toBe(200);
    expect(one).not.toBe(another);
  });
});
