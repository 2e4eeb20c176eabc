import { beforeAll, describe, expect, it } from 'vitest';
import { clientToken, signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createOrganization, createProvider, createUser } from '../../../support/factories.ts';
import { uuids } from './people.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;

describe('a user', () => {
  it('is what colleagues may see of a person', async () => {
    const person = await signedInUser(test);
    const { organizationId } = person;
    const { user } = await createUser(rows(), {
      organizationId,
      type: 'provider',
      firstName: 'Ada',
      lastName: 'Quinn',
      email: 'ada.quinn@example.com',
      phone: '+19105550123',
      languageId: 'es',
      chatStatus: 'online',
      telehealthAvailability: false,
      lastSeenAt: new Date('2026-03-08T14:30:00Z'),
    });
    const provider = await createProvider(rows(), { organizationId, userId: user.id });
    const answer = await person.get(`/users/${user.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.etag).toBeDefined();
    expect(answer.body).toEqual({
      data: {
        uuid: user.id,
        org_uuid: organizationId,
        firstname: 'Ada',
        lastname: 'Quinn',
        email: 'ada.quinn@example.com',
        phone: '9105550123',
        user_type: 'provider',
        active: true,
        verified: true,
        language: 'es',
        chat_status: 'online',
        telehealth_availability: false,
        provider: provider.id,
        last_seen_at: '2026-03-08T14:30:00Z',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    });
  });

  it('who has left is in no list, and can still be read', async () => {
    const person = await signedInUser(test);
    const { user } = await createUser(rows(), { organizationId: person.organizationId, active: false, lastName: 'Gone' });
    expect(uuids(await person.get('/users'))).toEqual([person.user.id]);
    expect(uuids(await person.get('/users/search?search=gone'))).toEqual([]);
    expect((await person.get(`/users/${user.id}`)).body.data).toMatchObject({ active: false });
  });

  it('that stands for an API client is nobody', async () => {
    const person = await signedInUser(test);
    await clientToken(test, ['integration.read'], [person.organizationId]);
    const machine = await rows().user.findFirstOrThrow({ where: { organizationId: person.organizationId, type: 'interface' } });
    expect((await person.get(`/users/${machine.id}`)).status).toBe(404);
    expect(uuids(await person.get('/users'))).toEqual([person.user.id]);
    expect(uuids(await person.get('/users/search'))).toEqual([person.user.id]);
    expect((await person.get('/users/search?type=interface')).body.errors[0].pointer).toBe('/type');
  });
});

describe('the list of users', () => {
  it('pages by id', async () => {
    const person = await signedInUser(test);
    const { organizationId } = person;
    const ids = [person.user.id];
    for (let n = 0; n < 4; n += 1) ids.push((await createUser(rows(), { organizationId })).user.id);
    const pages = [
      await person.get('/users?limit=2'),
      await person.get('/users/?limit=2&page=2'),
      await person.get('/users?limit=2&page=3'),
    ];
    expect(pages.flatMap(uuids)).toEqual(ids);
    expect(pages[2]?.body.meta).toEqual({ current_page: 3, per_page: 2, from: 5, to: 5, total: 5, last_page: 3 });
  });

  it.each(['limit=0', 'limit=1001', 'page=0', 'page=x'])('refuses %s', async (query) => {
    const person = await signedInUser(test);
    const answer = await person.get(`/users?${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, `/${query.split('=')[0]}`]);
  });
});

describe('the search for users', () => {
  let person: Awaited<ReturnType<typeof signedInUser>>;
  const named = new Map<number, string>();
  beforeAll(async () => {
    const { id: organizationId } = await createOrganization(rows());
    person = await signedInUser(test, { organizationId });
    const people = [
      ['Zoë', 'Núñez', 'zn@example.com', 'provider'],
      ['Ann', "O'Brien-Lee", 'ann.brown@clinic.example', 'staff'],
      ['Annette', 'Zimmer', 'front_desk@clinic.example', 'admin'],
      ['Bo', 'Percent%', 'bo@example.com', 'staff'],
    ] as const;
    for (const [firstName, lastName, email, type] of people) {
      const { user } = await createUser(rows(), { organizationId, firstName, lastName, email, type });
      named.set(user.id, firstName);
    }
  });
  const found = async (query: string) => {
    const answer = await person.get(`/users/search?${query}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.meta.total).toBe(answer.body.data.length);
    expect(uuids(await person.get(`/users?${query}`))).toEqual(uuids(answer));
    return uuids(answer).flatMap((uuid) => named.get(uuid) ?? []);
  };

  it.each([
    ['search=zo%C3%AB', ['Zoë']],
    ['search=ZOE', ['Zoë']],
    ['search=nunez', ['Zoë']],
    ['search=ann', ['Ann', 'Annette']],
    ['keyword=ann', ['Ann', 'Annette']],
    ['q=ann', ['Ann', 'Annette']],
    ['search=lee', ['Ann']],
    ['search=brien', ['Ann']],
    ["search=o'brien", ['Ann']],
    ['search=O%E2%80%99Brien-Lee', ['Ann']],
    ['search=lee+ann', ['Ann']],
    ['search=ann&keyword=zim', ['Annette']],
    ['search=nn', []],
    ['search=brown', ['Ann']],
    ['search=ann.brown@clinic.example', ['Ann']],
    ['search=clinic', ['Ann', 'Annette']],
    ['search=desk', ['Annette']],
    ['search=%25', []],
    ['search=percent%25', ['Bo']],
    ['search=_', []],
    ['search=ann&type=admin', ['Annette']],
    ['type=staff', ['Ann', 'Bo']],
    ['search=nobody', []],
    ['', ['Zoë', 'Ann', 'Annette', 'Bo']],
  ])('%s finds %j', async (query, names) => {
    expect(await found(query)).toEqual(names);
  });

  it('keeps what was asked for in its links', async () => {
    const answer = await person.get('/users/search?search=ann&limit=1');
    expect(answer.body.meta).toMatchObject({ total: 2, last_page: 2 });
    const { pathname, search } = new URL(answer.body.links.next);
    expect(uuids(await person.get(`${pathname}${search}`)).map((uuid) => named.get(uuid))).toEqual(['Annette']);
  });

  it.each([
    [`search=${'x'.repeat(201)}`, '/search'],
    ['search=a%00', '/search'],
    ['type=boss', '/type'],
    ['search=a&search=b', '/search'],
  ])('refuses %s', async (query, pointer) => {
    const answer = await person.get(`/users/search?${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  });
});
