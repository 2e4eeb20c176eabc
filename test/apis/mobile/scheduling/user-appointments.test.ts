import { describe, expect, it } from 'vitest';
import { clientToken, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createPatient, createUser } from '../../../support/factories.ts';
import { type Person, uuids } from '../people/people.ts';

const test = await sharedTestApp();
const person: Person = await signedInUser(test);

const rows = () => test.database.prisma;

/** An appointment of half an hour. */
async function book(of: Person, date = '2031-03-03T15:00:00Z', data: object = {}) {
  const { organizationId } = of;
  const startsAt = new Date(date);
  const times = { startsAt, localStart: startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) };
  return (await rows().appointment.create({ data: { organizationId, timeZone: 'UTC', durationMinutes: 30, ...times, ...data } })).id;
}

const colleague = async ({ organizationId }: Person, data: object = {}) => (await createUser(rows(), { organizationId, ...data })).user;
const assign = (of: Person, user_id: number, appointment_id: number) => of.post('/user-appointments/').send({ user_id, appointment_id });
const taking = async ({ organizationId }: Person, appointmentId: number) =>
  (await rows().userAppointment.findMany({ where: { organizationId, appointmentId }, orderBy: { userId: 'asc' } })).map(
    ({ userId }) => userId,
  );
/** The newest event of an appointment. */
const lastEvent = async ({ organizationId }: Person, subjectId: number) => {
  const where = { organizationId, subjectType: 'appointment', subjectId };
  const event = await rows().event.findFirst({ where, orderBy: { id: 'desc' } });
  return event && [event.name, event.changed, event.actor];
};

describe('assigning', () => {
  it('lets a user take part, and answers the assignment with its user and the whole appointment', async () => {
    const user = await colleague(person, { firstName: 'Ada', lastName: 'Quinn', phone: '+19105550123' });
    const patient = await createPatient(rows(), { organizationId: person.organizationId });
    const id = await book(person, undefined, { patientId: patient.id });
    const answer = await assign(person, user.id, id);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      user_id: user.id,
      appointment_id: id,
      user: expect.objectContaining({ uuid: user.id, firstname: 'Ada', lastname: 'Quinn', phone: '9105550123' }),
      appointment: (await person.get(`/appointments/${id}`)).body.data,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(answer.body.data.appointment.patient.uuid).toBe(patient.id);
    expect(await lastEvent(person, id)).toEqual(['appointment.changed', ['users'], `user:${person.user.id}`]);
  });

  it('leaves an audit row for the appointment and for the chart that was shown', async () => {
    const own = await signedInUser(test);
    const { organizationId } = own;
    const patient = await createPatient(rows(), { organizationId });
    const id = await book(own, undefined, { patientId: patient.id });
    await assign(own, own.user.id, id);
    const entries = await rows().auditEntry.findMany({
      where: { organizationId, operation: 'POST /user-appointments/' },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action, resource, resourceIds }) => [action, resource, resourceIds]).sort()).toEqual([
      ['read', 'patient', [patient.id]],
      ['update', 'appointment', [id]],
    ]);
  });

  it('lets several take part, also when they come at once', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => colleague(person)));
    const id = await book(person);
    const answers = await Promise.all(users.map((user) => assign(person, user.id, id)));
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 201));
    expect(await taking(person, id)).toEqual(users.map((user) => user.id).toSorted((a, b) => a - b));
  });

  it('is done once: a second time is a conflict', async () => {
    const [user, id] = [await colleague(person), await book(person)];
    await assign(person, user.id, id);
    const again = await assign(person, user.id, id);
    expect([again.status, again.body.code, again.body.errors[0].pointer]).toEqual([409, 'already_assigned', '/appointment_id']);
    expect(await taking(person, id)).toEqual([user.id]);
  });

  it('under an Idempotency-Key is answered again, byte for byte', async () => {
    const [user, id] = [await colleague(person), await book(person)];
    const first = await assign(person, user.id, id).set('idempotency-key', 'assign-1');
    const second = await assign(person, user.id, id).set('idempotency-key', 'assign-1');
    expect([second.status, second.text, second.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
  });

  it('names the field of what there is not', async () => {
    const stranger = await signedInUser(test);
    const [user, id] = [await colleague(person), await book(person)];
    const cancelled = await book(person, undefined, { status: 'cancelled' });
    const theirs = await book(stranger);
    await clientToken(test, ['integration.read'], [person.organizationId]);
    const machine = await rows().user.findFirstOrThrow({ where: { organizationId: person.organizationId, type: 'interface' } });
    const refused = async (userId: number, appointmentId: number) => {
      const { status, body } = await assign(person, userId, appointmentId);
      return [status, body.errors[0]?.pointer];
    };
    for (const gone of [1888888, cancelled, theirs]) expect(await refused(user.id, gone)).toEqual([404, '/appointment_id']);
    for (const nobody of [1888888, machine.id, stranger.user.id]) expect(await refused(nobody, id)).toEqual([404, '/user_id']);
    expect(await refused((await colleague(person, { active: false })).id, id)).toEqual([400, '/user_id']);
    expect(await taking(person, id)).toEqual([]);
    expect(await taking(stranger, theirs)).toEqual([]);
  });

  it.each([
    [{}, ['/user_id', '/appointment_id']],
    [{ user_id: 'x', appointment_id: 0 }, ['/user_id', '/appointment_id']],
    [{ user_id: 1, appointment_id: null }, ['/appointment_id']],
  ])('refuses %j', async (body, pointers) => {
    const answer = await person.post('/user-appointments').send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });
});

describe('where double booking is refused', () => {
  it('a user is assigned to one of two overlapping appointments, and the slot is named', async () => {
    const own = await signedInUser(test, { organization: { doubleBooking: 'refuse' } });
    const [first, second] = [await book(own, '2031-03-03T15:00:00Z'), await book(own, '2031-03-03T15:15:00Z')];
    const next = await book(own, '2031-03-03T15:30:00Z');
    expect((await assign(own, own.user.id, first)).status).toBe(201);
    const refused = await assign(own, own.user.id, second);
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([409, 'double_booked', '/appointment_id']);
    expect(refused.body.detail).toContain('from 2031-03-03T15:00:00 to 2031-03-03T15:30:00 in UTC');
    expect((await assign(own, own.user.id, next)).status).toBe(201);
    const moved = await own.put(`/user-appointments/${own.user.id}`).send({ appointment_id: second });
    expect([moved.status, moved.body.code]).toEqual([409, 'double_booked']);
    expect((await own.delete(`/user-appointments/${own.user.id}?appointment_id=${first}`)).status).toBe(204);
    expect((await own.put(`/user-appointments/${own.user.id}`).send({ appointment_id: second })).body.code).toBe('double_booked');
    expect((await own.delete(`/user-appointments/${own.user.id}?appointment_id=${next}`)).status).toBe(204);
    expect((await own.put(`/user-appointments/${own.user.id}`).send({ appointment_id: second })).status).toBe(200);
  });

  it('of twenty at once for one slot one wins, and each other is told so', async () => {
    const own = await signedInUser(test, { organization: { doubleBooking: 'refuse' } });
    const ids: number[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await book(own));
    const answers = await Promise.all(ids.map((id) => assign(own, own.user.id, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
    expect(await rows().userAppointment.count({ where: { organizationId: own.organizationId } })).toBe(1);
  });
});

describe('handing over', () => {
  const give = (userId: number, body: object) => person.put(`/user-appointments/${userId}`).send(body);

  it('gives the place of who takes part to the user, and is no change the second time', async () => {
    const [from, to, id] = [await colleague(person), await colleague(person), await book(person)];
    await assign(person, from.id, id);
    const answer = await give(to.id, { appointment_id: id });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toMatchObject({ user_id: to.id, appointment_id: id, user: { uuid: to.id } });
    expect(await taking(person, id)).toEqual([to.id]);
    const before = await rows().event.count();
    expect((await give(to.id, { appointment_id: id })).body).toEqual(answer.body);
    expect(await rows().event.count()).toBe(before);
    expect(uuids(await person.get(`/user-appointments/${from.id}`))).toEqual([]);
  });

  it('adds the user where nobody takes part', async () => {
    const [to, id] = [await colleague(person), await book(person)];
    expect((await give(to.id, { appointment_id: id })).status).toBe(200);
    expect(await taking(person, id)).toEqual([to.id]);
  });

  it('asks in whose place where several others take part, and leaves the rest', async () => {
    const [a, b, to, id] = [await colleague(person), await colleague(person), await colleague(person), await book(person)];
    await assign(person, a.id, id);
    await assign(person, b.id, id);
    const unclear = await give(to.id, { appointment_id: id });
    expect([unclear.status, unclear.body.code, unclear.body.errors[0].pointer]).toEqual([409, 'several_users', '/from_user_id']);
    expect((await give(to.id, { appointment_id: id, from_user_id: a.id })).status).toBe(200);
    expect(await taking(person, id)).toEqual([b.id, to.id]);
    const gone = await give(to.id, { appointment_id: id, from_user_id: a.id });
    expect([gone.status, gone.body.errors[0].pointer]).toEqual([404, '/from_user_id']);
  });

  it('refuses what there is not, and who has left', async () => {
    const [user, id] = [await colleague(person), await book(person)];
    const gone = await give(user.id, { appointment_id: 1888888 });
    expect([gone.status, gone.body.errors[0].pointer]).toEqual([404, '/appointment_id']);
    expect((await give(1888888, { appointment_id: id })).status).toBe(404);
    expect((await give((await colleague(person, { active: false })).id, { appointment_id: id })).status).toBe(400);
    expect((await give(user.id, {})).body.errors[0].pointer).toBe('/appointment_id');
  });
});

describe('removing', () => {
  it('takes the user out, and nobody else', async () => {
    const [a, b, id] = [await colleague(person), await colleague(person), await book(person)];
    await assign(person, a.id, id);
    await assign(person, b.id, id);
    const answer = await person.delete(`/user-appointments/${a.id}?appointment_id=${id}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await taking(person, id)).toEqual([b.id]);
    expect(await lastEvent(person, id)).toEqual(['appointment.changed', ['users'], `user:${person.user.id}`]);
    expect((await person.delete(`/user-appointments/${a.id}?appointment_id=${id}`)).status).toBe(404);
  });

  it('finds nothing where the user does not take part, the appointment is another’s or was cancelled', async () => {
    const stranger = await signedInUser(test);
    const theirs = await book(stranger, undefined, { users: { create: { userId: stranger.user.id } } });
    const cancelled = await book(person, undefined, { status: 'cancelled', users: { create: { userId: person.user.id } } });
    const remove = async (userId: number, appointmentId: number) =>
      (await person.delete(`/user-appointments/${userId}?appointment_id=${appointmentId}`)).status;
    expect(await remove(person.user.id, await book(person))).toBe(404);
    expect(await remove(stranger.user.id, theirs)).toBe(404);
    expect(await remove(person.user.id, cancelled)).toBe(404);
    expect(await taking(stranger, theirs)).toEqual([stranger.user.id]);
  });

  it('needs the appointment', async () => {
    for (const query of ['', '?appointment_id=', '?appointment_id=x']) {
      const answer = await person.delete(`/user-appointments/${person.user.id}${query}`);
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/appointment_id']);
    }
  });
});
