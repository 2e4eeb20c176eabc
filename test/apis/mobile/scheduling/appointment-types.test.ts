import { describe, expect, it } from 'vitest';
import { createOperator } from '../../../admin/command-line.ts';
import { integrationClient, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType } from '../../../support/factories.ts';
import { createAppointment } from '../../../support/schedule.ts';

const test = await sharedTestApp();
const admin = await signedInUser(test, { type: 'admin' });
const staff = await signedInUser(test, { organizationId: admin.organizationId });

const rows = () => test.database.prisma;
const own = () => ({ organizationId: admin.organizationId });

async function create(fields: object = {}) {
  const answer = await staff.post('/appointments/types').send({ name: 'Visit', ...fields });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

describe('an appointment type', () => {
  it('is created, read and listed as the same record', async () => {
    const answer = await staff.post('/appointments/types').send({
      name: 'Physical',
      description: 'Once a year',
      duration_minutes: 45,
      active: 0,
      is_global: false,
    });
    expect(answer.status).toBe(201);
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      name: 'Physical',
      description: 'Once a year',
      duration_minutes: 45,
      active: 0,
      is_global: 0,
      buffer_before: 0,
      buffer_after: 0,
      lead_minutes: 0,
      latest_days: null,
      modality: 'in_person',
      capacity: 1,
      bookable_by: ['staff', 'apps', 'patient'],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const read = await staff.get(`/appointments/types/${answer.body.data.uuid}`);
    expect([read.body, read.headers.etag]).toEqual([answer.body, answer.headers.etag]);
    expect((await staff.get('/appointments/types?limit=1000')).body.data).toContainEqual(answer.body.data);
  });

  it('is active, not global and as long as usual unless said', async () => {
    expect(await create()).toMatchObject({ description: null, duration_minutes: null, active: 1, is_global: 0 });
  });

  it('changes only in what is sent; null goes back to what a new type has', async () => {
    const before = await create({ description: 'Once', duration_minutes: 45, active: 0 });
    const path = `/appointments/types/${before.uuid}`;
    const renamed = await staff.put(path).send({ name: 'Check-up' });
    expect(renamed.body.data).toEqual({ ...before, name: 'Check-up', updated_at: renamed.body.data.updated_at });
    const cleared = await staff.put(path).send({ description: null, duration_minutes: null, active: null });
    expect(cleared.body.data).toMatchObject({ name: 'Check-up', description: null, duration_minutes: null, active: 1 });
    const events = await rows().event.findMany({
      where: { ...own(), subjectType: 'appointment_type', subjectId: before.uuid },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed.toSorted()])).toEqual([
      [
        'appointment_type.created',
        ['active', 'description', 'durationMinutes', 'isGlobal']
          .filter((field) => field !== 'isGlobal')
          .concat('name')
          .toSorted(),
      ],
      ['appointment_type.updated', ['name']],
      ['appointment_type.updated', ['active', 'description', 'durationMinutes']],
    ]);
  });

  it('has the rules of its slots; null goes back to what a new type has', async () => {
    const rules = { buffer_before: 5, buffer_after: 10, lead_minutes: 60, latest_days: 90, modality: 'video', capacity: 8 };
    const made = await create({ ...rules, bookable_by: ['patient', 'staff', 'patient'] });
    expect(made).toMatchObject({ ...rules, bookable_by: ['staff', 'patient'] });
    const path = `/appointments/types/${made.uuid}`;
    const nothing = Object.fromEntries([...Object.keys(rules), 'bookable_by'].map((field) => [field, null]));
    expect((await staff.put(path).send(nothing)).body.data).toMatchObject(
      await create({}).then(({ uuid: _other, created_at: _made, updated_at: _changed, ...fresh }) => fresh),
    );
    const wrong = await staff.put(path).send({ capacity: 0, latest_days: 0, modality: 'phone', buffer_after: -1, bookable_by: [] });
    expect(wrong.status).toBe(400);
    const named = wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted();
    expect(named).toEqual(['/bookable_by', '/buffer_after', '/capacity', '/latest_days', '/modality']);
  });

  it('is not changed by who read an older state', async () => {
    const answer = await staff.post('/appointments/types').send({ name: 'Visit' });
    const path = `/appointments/types/${answer.body.data.uuid}`;
    const etag = String(answer.headers.etag);
    await staff.put(path).set('if-match', etag).send({ name: 'First' }).expect(200);
    await staff.put(path).set('if-match', etag).send({ name: 'Second' }).expect(412);
    expect((await staff.get(path)).body.data.name).toBe('First');
  });

  it('is as long as new appointments of it are, and leaves those that stand as they are', async () => {
    const { uuid } = await create({ duration_minutes: 20 });
    const make = async () => (await staff.post('/appointments/').send({ type: uuid, appointment_date: '2031-03-04T09:00:00' })).body.data;
    const standing = await make();
    expect(standing.duration_minutes).toBe(20);
    await staff.put(`/appointments/types/${uuid}`).send({ duration_minutes: 60 });
    expect((await make()).duration_minutes).toBe(60);
    expect((await staff.get(`/appointments/${standing.uuid}`)).body.data.duration_minutes).toBe(20);
  });

  it.each([
    [{}, '/name', 'is missing'],
    [{ name: ' ' }, '/name', 'must not be empty'],
    [{ name: 'Visit', duration_minutes: 0 }, '/duration_minutes', 'from 1 to 1440'],
    [{ name: 'Visit', duration_minutes: 1441 }, '/duration_minutes', 'from 1 to 1440'],
    [{ name: 'Visit', duration_minutes: 'long' }, '/duration_minutes', 'from 1 to 1440'],
    [{ name: 'Visit', active: 2 }, '/active', ''],
    [{ name: 'Visit', is_global: 'yes' }, '/is_global', ''],
  ])('is refused as %j, by the name of the field', async (body, pointer, words) => {
    const answer = await staff.post('/appointments/types').send(body);
    expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer, detail: expect.stringContaining(words) }] });
  });

  it('of another organization is as if there were none, unless it is global: then it can be read and used', async () => {
    const other = await signedInUser(test, { type: 'admin' });
    const [theirs, global] = [
      await createAppointmentType(rows(), { organizationId: other.organizationId, name: 'Theirs' }),
      await createAppointmentType(rows(), { organizationId: other.organizationId, name: 'Everybody’s', isGlobal: true }),
    ];
    const calls = (id: number) => [
      admin.get(`/appointments/types/${id}`),
      admin.put(`/appointments/types/${id}`).send({ name: 'Ours' }),
      admin.delete(`/appointments/types/${id}`),
    ];
    const statuses = async (id: number) => (await Promise.all(calls(id))).map(({ status }) => status);
    expect(await statuses(theirs.id)).toEqual([404, 404, 404]);
    expect(await statuses(global.id)).toEqual([200, 403, 403]);
    const listed = (await admin.get('/appointments/types?limit=1000')).body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect([listed.includes(theirs.id), listed.includes(global.id)]).toEqual([false, true]);
    const used = await admin.post('/appointments/').send({ type: global.id });
    expect(used.body.data.type).toMatchObject({ uuid: global.id, is_global: 1 });
  });

  it('becomes global, and changes while it is, by the operator alone', async () => {
    const operator = createOperator(test);
    const { organizationId: organization } = admin;
    const refused = await admin.post('/appointments/types').send({ name: 'Everybody’s', is_global: 1 });
    expect(refused.body).toMatchObject({ status: 403, code: 'global_type_operator_only', errors: [] });
    const settings = { name: 'Everybody’s visit', is_global: true, duration_minutes: 20 };
    expect(await operator.apply(organization, { appointment_types: [settings] })).toMatchObject({ code: 0 });
    const { id } = await test.database.prisma.appointmentType.findFirstOrThrow({
      where: { organizationId: organization, name: settings.name },
    });
    const path = `/appointments/types/${id}`;
    const { data } = (await admin.get(path)).body;
    expect(data).toMatchObject({ is_global: 1, duration_minutes: 20 });
    expect((await admin.put(path).send(data)).body.data).toEqual(data);
    for (const answer of [
      await admin.put(path).send({ active: 0 }),
      await staff.put(path).send({ name: 'Ours' }),
      await admin.delete(path),
    ])
      expect(answer.body).toMatchObject({ status: 403, code: 'global_type_operator_only' });
    const other = await signedInUser(test);
    await other.post('/appointments/').send({ type: id }).expect(201);
    const remove = () => operator.apply(organization, { appointment_types: [{ id, remove: true }] });
    expect((await remove()).err).toContain('The type is in use elsewhere. Set it inactive instead.');
    expect((await operator.apply(organization, { appointment_types: [{ id, active: false }] })).code).toBe(0);
    expect((await admin.get(path)).body.data.active).toBe(0);
  });

  it('is one type in the integration API', async () => {
    const { uuid } = await create({ name: 'Shared' });
    const app = await integrationClient(test, own());
    expect((await app.get('/appointments/types?limit=1000')).body.data).toContainEqual(expect.objectContaining({ uuid, name: 'Shared' }));
  });
});

describe('deleting a type', () => {
  it('takes it away, and leaves an event', async () => {
    const { uuid } = await create();
    await admin.delete(`/appointments/types/${uuid}`).expect(204);
    for (const answer of [await admin.get(`/appointments/types/${uuid}`), await admin.delete(`/appointments/types/${uuid}`)])
      expect([answer.status, answer.body.code]).toEqual([404, 'appointment_type_not_found']);
    expect((await admin.post('/appointments/').send({ type: uuid })).status).toBe(404);
    const [last] = await rows().event.findMany({
      where: { ...own(), subjectType: 'appointment_type', subjectId: uuid },
      orderBy: { id: 'desc' },
    });
    expect(last?.name).toBe('appointment_type.deleted');
  });

  it('is for admins alone', async () => {
    const { uuid } = await create();
    const provider = await signedInUser(test, { ...own(), type: 'provider' });
    for (const who of [staff, provider]) await who.delete(`/appointments/types/${uuid}`).expect(403);
    await staff.get(`/appointments/types/${uuid}`).expect(200);
  });

  it.each([
    [1, 0, '1 appointment has this type. Set it inactive instead.'],
    [3, 0, '3 appointments have this type. Set it inactive instead.'],
    [2, 1, '3 appointments have this type (1 cancelled, kept in the history). Set it inactive instead.'],
    [0, 2, '2 appointments have this type (2 cancelled, kept in the history). Set it inactive instead.'],
  ])('is refused while %i appointments have it and %i cancelled ones had it, and tells how many', async (standing, cancelled, detail) => {
    const { uuid } = await create();
    const tied = { ...own(), typeId: uuid, typeOrganizationId: admin.organizationId };
    for (let made = 0; made < standing; made += 1) await createAppointment(rows(), { ...tied, startsAt: '2031-03-04T09:00:00Z' });
    for (let made = 0; made < cancelled; made += 1) await createAppointment(rows(), { ...tied, status: 'cancelled' });
    const answer = await admin.delete(`/appointments/types/${uuid}`);
    expect(answer.body).toMatchObject({ status: 409, code: 'appointment_type_in_use', detail });
    await admin.get(`/appointments/types/${uuid}`).expect(200);
  });

  it('and making an appointment with it at once leaves one of the two', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { uuid } = await create();
      const [made, deleted] = await Promise.all([
        staff.post('/appointments/').send({ type: uuid }),
        admin.delete(`/appointments/types/${uuid}`),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });
});
