import { describe, expect, it } from 'vitest';
import { createOperator } from '../../admin/command-line.ts';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp, startTestApp } from '../../support/app.ts';
import { createAppointmentType } from '../../support/factories.ts';
import { expectException, storedRows } from './exceptions.ts';

const test = await sharedTestApp();
const operator = createOperator(test);

type Client = Awaited<ReturnType<typeof integrationClient>>;
const rows = () => test.database.prisma;

/** Follows `next` from a first page until it is null. */
async function everyPage(client: Client, path: string) {
  const pages = [(await client.get(path)).body];
  for (;;) {
    const next: string | null = pages.at(-1).links.next;
    if (next === null) return pages;
    const { origin, pathname, search } = new URL(next);
    expect(origin).toBe(test.address);
    pages.push((await client.get(`${pathname.replace(/^\/api/, '')}${search}`)).body);
    expect(pages.length).toBeLessThan(100);
  }
}

describe('the list of appointment types', () => {
  it('has the documented envelope: own types and global ones, by id, with null for meta', async () => {
    const [clinic, neighbour] = [await integrationClient(test), await integrationClient(test)];
    const own = await createAppointmentType(rows(), {
      organizationId: clinic.organizationId,
      name: 'Check-up',
      description: 'Once a year',
    });
    const shared = await createAppointmentType(rows(), {
      organizationId: neighbour.organizationId,
      name: 'Vaccination',
      isGlobal: true,
      active: false,
    });
    const secret = await createAppointmentType(rows(), { organizationId: neighbour.organizationId, name: 'Secret' });
    const answer = await clinic.get('/appointments/types');
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).sort()).toEqual(['data', 'links', 'meta']);
    expect(answer.body.meta).toBeNull();
    const uuids = answer.body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(uuids).toEqual([...uuids].sort((one, other) => one - other));
    expect(uuids).not.toContain(secret.id);
    expect(answer.body.data).toContainEqual({ uuid: own.id, name: 'Check-up', description: 'Once a year', active: 1, is_global: 0 });
    expect(answer.body.data).toContainEqual({ uuid: shared.id, name: 'Vaccination', description: null, active: 0, is_global: 1 });
    expect(answer.text).not.toContain('Secret');
    const only = `${test.address}/api/appointments/types?page=1&limit=100`;
    expect(answer.body.links).toEqual({ first: only, last: only, next: null, prev: null });
  });

  it.each(['/appointments/types', '/appointments/types/', '/appointments/types?page=1'])(
    'is what %s answers, and never an appointment called "types"',
    async (path) => {
      const clinic = await integrationClient(test);
      const answer = await clinic.get(path);
      expect(answer.status).toBe(200);
      expect(Array.isArray(answer.body.data)).toBe(true);
    },
  );

  it('shows every type exactly once to whoever follows next, with pages as long as asked for', async () => {
    const clinic = await integrationClient(test);
    const { organizationId } = clinic;
    await rows().appointmentType.createMany({
      data: Array.from({ length: 23 }, (_, number) => ({ organizationId, name: `Type ${number}` })),
    });
    const all = (await clinic.get('/appointments/types?limit=1000')).body.data;
    expect(all.length).toBeGreaterThanOrEqual(23);
    for (const limit of [1, 5, 23]) {
      const pages = await everyPage(clinic, `/appointments/types?limit=${limit}`);
      expect(pages.flatMap(({ data }) => data)).toEqual(all);
      expect(pages.slice(0, -1).every(({ data }) => data.length === limit)).toBe(true);
      expect(pages.map(({ links }) => new URL(links.first).searchParams.get('page'))).toEqual(pages.map(() => '1'));
      expect(pages.map(({ links }) => new URL(links.last).searchParams.get('page'))).toEqual(pages.map(() => String(pages.length)));
      expect(pages.every(({ links }) => new URL(links.first).searchParams.get('limit') === String(limit))).toBe(true);
      expect(pages.map(({ links }) => links.prev && new URL(links.prev).searchParams.get('page'))).toEqual(
        pages.map((_, page) => (page === 0 ? null : String(page))),
      );
    }
  });

  it('answers an empty page beyond the last one, with the way back', async () => {
    const clinic = await integrationClient(test);
    const beyond = await clinic.get('/appointments/types?page=1000000&limit=1000');
    expect(beyond.body).toMatchObject({ data: [], links: { next: null, prev: expect.stringContaining('page=1&limit=1000') }, meta: null });
  });

  it.each(['page=0', 'page=-1', 'page=1.5', 'page=abc', 'page=1e99', 'page=1&page=2', 'limit=0', 'limit=1001', 'limit=ten'])(
    'refuses %s by name',
    async (query) => {
      const clinic = await integrationClient(test);
      const answer = await clinic.get(`/appointments/types?${query}`);
      expectException(answer, 400, query.slice(0, query.indexOf('=')));
    },
  );

  it('points where the operator says, when he says so', async () => {
    const behindProxy = await startTestApp({ PUBLIC_URL: 'https://triptych.example.com/clinic/' });
    const clinic = await integrationClient(behindProxy);
    const { links } = (await clinic.get('/appointments/types?limit=7')).body;
    await behindProxy.close();
    expect(links.first).toBe('https://triptych.example.com/clinic/api/appointments/types?limit=7&page=1');
  });
});

describe('creating an appointment type', () => {
  it('answers 200 with the type, active and private unless said', async () => {
    const clinic = await integrationClient(test);
    const created = await clinic.post('/appointments/types').send({ name: 'Check-up' });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({ data: { uuid: expect.any(Number), name: 'Check-up', description: null, active: 1, is_global: 0 } });
    const full = { name: 'Überweisung', description: 'From elsewhere', active: 0, is_global: 0 };
    const second = await clinic.post('/appointments/types').send({ uuid: created.body.data.uuid, ...full });
    expect(second.body.data).toEqual({ ...full, uuid: second.body.data.uuid });
    expect(second.body.data.uuid).not.toBe(created.body.data.uuid);
    expect((await clinic.post('/appointments/types').send({ name: 'A', active: false, is_global: false })).body.data).toMatchObject({
      active: 0,
      is_global: 0,
    });
  });

  it('needs a name', async () => {
    const clinic = await integrationClient(test);
    const before = await storedRows(test.database, clinic);
    for (const body of [{}, { name: null }, { name: '' }, { name: ' ' }])
      expectException(await clinic.post('/appointments/types').send(body), 400, 'name');
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });
});

describe('changing an appointment type', () => {
  it('finds it by the uuid in the body, and changes only what is sent', async () => {
    const clinic = await integrationClient(test);
    const { uuid } = (await clinic.post('/appointments/types').send({ name: 'Check-up', description: 'Once a year' })).body.data;
    const put = async (body: object) => (await clinic.put('/appointments/types').send({ uuid, ...body })).body.data;
    const type = { uuid, name: 'Check-up', description: 'Once a year', active: 1, is_global: 0 };
    expect(await put({})).toEqual(type);
    expect(await put({ active: 0 })).toEqual({ ...type, active: 0 });
    expect(await put({ name: 'Annual check-up' })).toEqual({ ...type, active: 0, name: 'Annual check-up' });
    expect(await put({ description: null, active: null, is_global: 0 })).toEqual({
      uuid,
      name: 'Annual check-up',
      description: null,
      active: 1,
      is_global: 0,
    });
    const events = await rows().event.findMany({
      where: { organizationId: clinic.organizationId, subjectId: uuid, subjectType: 'appointment_type' },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed.toSorted()]).slice(1)).toEqual([
      ['appointment_type.updated', ['active']],
      ['appointment_type.updated', ['name']],
      ['appointment_type.updated', ['active', 'description']],
    ]);
  });

  it('needs the uuid, and is 404 for any that is not the organization’s own', async () => {
    const [clinic, neighbour] = [await integrationClient(test), await integrationClient(test)];
    const theirs = await createAppointmentType(rows(), { organizationId: neighbour.organizationId });
    const before = await storedRows(test.database, clinic, neighbour);
    expectException(await clinic.put('/appointments/types').send({ name: 'Mine' }), 400, 'uuid');
    const answers = await Promise.all(
      [theirs.id, 2_147_483_647].map((uuid) => clinic.put('/appointments/types').send({ uuid, name: 'Mine' })),
    );
    for (const answer of answers) {
      expectException(answer, 404, 'uuid');
      expect(answer.body).toEqual(answers[0]?.body);
    }
    expect(await storedRows(test.database, clinic, neighbour)).toEqual(before);
  });
});

describe('a global type', () => {
  const makeGlobal = async (organization: number, name = 'Vaccination') =>
    (await createAppointmentType(rows(), { organizationId: organization, name, isGlobal: true })).id;
  const setGlobal = (id: number, organization: number, given: object) =>
    operator.apply(organization, { appointment_types: [{ id, ...given }] });

  it('can be used by other organizations, and stays global while one of them does', async () => {
    const [owner, user] = [await integrationClient(test), await integrationClient(test)];
    const id = await makeGlobal(owner.organizationId);
    const booked = await user.post('/appointments').send({ appointment_type_id: id });
    expect(booked.body.data.type).toEqual({ uuid: id, name: 'Vaccination', description: null, active: 1, is_global: 1 });
    const refused = await setGlobal(id, owner.organizationId, { is_global: false });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('The type is in use elsewhere and stays global.') });
    expect((await setGlobal(id, owner.organizationId, { name: 'Jab' })).code).toBe(0);
    expect((await user.get(`/appointments/${booked.body.data.uuid}`)).body.data.type.name).toBe('Jab');
    await user.put(`/appointments/${booked.body.data.uuid}`).send({ appointment_type_id: null });
    expect((await setGlobal(id, owner.organizationId, { is_global: false })).code).toBe(0);
    expectException(await user.post('/appointments').send({ appointment_type_id: id }), 404, 'appointment_type_id');
  });

  it('has each change in the events and the audit of its owner and of all whose appointments have it, and of nobody else', async () => {
    const [owner, user, reader] = [await integrationClient(test), await integrationClient(test), await integrationClient(test)];
    const id = await makeGlobal(owner.organizationId);
    for (const _ of [1, 2]) await user.post('/appointments').send({ appointment_type_id: id });
    await owner.post('/appointments').send({ appointment_type_id: id });
    expect((await setGlobal(id, owner.organizationId, { name: 'Jab' })).code).toBe(0);
    expect((await setGlobal(id, owner.organizationId, { name: 'Jab' })).code).toBe(0);
    const traces = async ({ organizationId }: Client) => [
      await rows().event.count({ where: { organizationId, name: 'appointment_type.updated', subjectId: id, changed: { has: 'name' } } }),
      await rows().auditEntry.count({
        where: { organizationId, actor: 'operator:tester', resource: 'appointment_type', action: 'update' },
      }),
    ];
    expect([await traces(owner), await traces(user), await traces(reader)]).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
    const unknown = await setGlobal(2_000_000_000, owner.organizationId, { name: 'Jab' });
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('There is no appointment type with the id 2000000000.') });
  });

  it('is made and changed by the operator alone; any API refuses with a code of its own, and takes what was read', async () => {
    const [owner, user] = [await integrationClient(test), await integrationClient(test)];
    const id = await makeGlobal(owner.organizationId);
    const { uuid: own } = (await owner.post('/appointments/types').send({ name: 'Own' })).body.data;
    const type = { uuid: id, name: 'Vaccination', description: null, active: 1, is_global: 1 };
    const before = await storedRows(test.database, owner, user);
    expectException(await owner.post('/appointments/types').send({ name: 'Mine', is_global: 1 }), 403, null);
    expectException(await owner.put('/appointments/types').send({ uuid: own, is_global: 1 }), 403, null);
    for (const clinic of [owner, user])
      for (const change of [{ name: 'Ours' }, { active: 0 }, { is_global: 0 }, { description: 'Ours' }])
        expectException(await clinic.put('/appointments/types').send({ uuid: id, ...change }), 403, null);
    for (const clinic of [owner, user]) expect((await clinic.put('/appointments/types').send(type)).body.data).toEqual(type);
    expect((await owner.put('/appointments/types').send({ uuid: own, is_global: 0 })).status).toBe(200);
    expect(await storedRows(test.database, owner, user)).toEqual(before);
  });

  it('never ends up private under an appointment of another organization, when both happen at once', async () => {
    const [owner, user] = [await integrationClient(test), await integrationClient(test)];
    for (let round = 0; round < 12; round += 1) {
      const id = await makeGlobal(owner.organizationId);
      const [closed, booked] = await Promise.all([
        setGlobal(id, owner.organizationId, { is_global: false }),
        user.post('/appointments').send({ appointment_type_id: id }),
      ]);
      expect([`${closed.code} ${booked.status}`]).toEqual([expect.stringMatching(/^(0 404|1 200)$/)]);
    }
  });
});
