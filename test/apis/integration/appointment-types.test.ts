import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp, startTestApp } from '../../support/app.ts';
import { createAppointmentType } from '../../support/factories.ts';
import { expectException, storedRows } from './exceptions.ts';

const test = await sharedTestApp();

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
    const full = { name: 'Überweisung', description: 'From elsewhere', active: 0, is_global: 1 };
    const second = await clinic.post('/appointments/types').send({ uuid: created.body.data.uuid, ...full });
    expect(second.body.data).toEqual({ ...full, uuid: second.body.data.uuid });
    expect(second.body.data.uuid).not.toBe(created.body.data.uuid);
    expect((await clinic.post('/appointments/types').send({ name: 'A', active: false, is_global: true })).body.data).toMatchObject({
      active: 0,
      is_global: 1,
    });
  });

  it('needs a name', async () => {
    const clinic = await integrationClient(test);
    const before = await storedRows(test.database);
    for (const body of [{}, { name: null }, { name: '' }, { name: ' ' }])
      expectException(await clinic.post('/appointments/types').send(body), 400, 'name');
    expect(await storedRows(test.database)).toEqual(before);
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
    expect(await put({ description: null, active: null, is_global: 1 })).toEqual({
      uuid,
      name: 'Annual check-up',
      description: null,
      active: 1,
      is_global: 1,
    });
    const events = await rows().event.findMany({
      where: { organizationId: clinic.organizationId, subjectId: uuid, subjectType: 'appointment_type' },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed.toSorted()]).slice(1)).toEqual([
      ['appointment_type.updated', ['active']],
      ['appointment_type.updated', ['name']],
      ['appointment_type.updated', ['active', 'description', 'isGlobal']],
    ]);
  });

  it('needs the uuid, and is 404 for any that is not the organization’s own', async () => {
    const [clinic, neighbour] = [await integrationClient(test), await integrationClient(test)];
    const theirs = await createAppointmentType(rows(), { organizationId: neighbour.organizationId });
    const shared = await createAppointmentType(rows(), { organizationId: neighbour.organizationId, isGlobal: true });
    const before = await storedRows(test.database);
    expectException(await clinic.put('/appointments/types').send({ name: 'Mine' }), 400, 'uuid');
    const answers = await Promise.all(
      [theirs.id, shared.id, 2_147_483_647].map((uuid) => clinic.put('/appointments/types').send({ uuid, name: 'Mine' })),
    );
    for (const answer of answers) {
      expectException(answer, 404, 'uuid');
      expect(answer.body).toEqual(answers[0]?.body);
    }
    expect(await storedRows(test.database)).toEqual(before);
  });
});

describe('a global type', () => {
  it('can be used by other organizations, and stays global while one of them does', async () => {
    const [owner, user] = [await integrationClient(test), await integrationClient(test)];
    const { uuid } = (await owner.post('/appointments/types').send({ name: 'Vaccination', is_global: 1 })).body.data;
    const booked = await user.post('/appointments').send({ appointment_type_id: uuid });
    expect(booked.body.data.type).toEqual({ uuid, name: 'Vaccination', description: null, active: 1, is_global: 1 });
    expectException(await owner.put('/appointments/types').send({ uuid, is_global: 0 }), 409, 'is_global');
    expect((await owner.put('/appointments/types').send({ uuid, name: 'Jab' })).status).toBe(200);
    expect((await user.get(`/appointments/${booked.body.data.uuid}`)).body.data.type.name).toBe('Jab');
    await user.put(`/appointments/${booked.body.data.uuid}`).send({ appointment_type_id: null });
    expect((await owner.put('/appointments/types').send({ uuid, is_global: 0 })).body.data.is_global).toBe(0);
    expectException(await user.post('/appointments').send({ appointment_type_id: uuid }), 404, 'appointment_type_id');
  });

  it('never ends up private under an appointment of another organization, when both happen at once', async () => {
    const [owner, user] = [await integrationClient(test), await integrationClient(test)];
    for (let round = 0; round < 12; round += 1) {
      const { uuid } = (await owner.post('/appointments/types').send({ name: 'Vaccination', is_global: 1 })).body.data;
      const [closed, booked] = await Promise.all([
        owner.put('/appointments/types').send({ uuid, is_global: 0 }),
        user.post('/appointments').send({ appointment_type_id: uuid }),
      ]);
      expect([`${closed.status} ${booked.status}`]).toEqual([expect.stringMatching(/^(200 404|409 200)$/)]);
    }
  });
});
