import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { type Person, uuids } from '../../people/people.ts';

const test = await sharedTestApp();
const who: Person = await signedInUser(test);
/** Two addresses of Ada's, one of Bo's, one of somebody who has left; by user. */
let ids: { ada: number; bo: number; gone: number; urls: [number, number, number, number] };
beforeAll(async () => {
  const ada = await newUser({ firstName: 'Ada', lastName: 'Quinn', email: 'ada@example.com' });
  const bo = await newUser({ firstName: 'Bo', lastName: 'Ek' });
  const gone = await newUser({ firstName: 'Cy', lastName: 'Gone', active: false });
  const url = (userId: number, name: string, title: string | null = null) => newUrl(userId, `https://reviews.example.com/${name}`, title);
  ids = {
    ada,
    bo,
    gone,
    urls: [await url(bo, 'bo'), await url(ada, 'ada', 'Riverside'), await url(gone, 'gone'), await url(ada, 'ada-2')],
  };
});

const db = () => test.database.prisma;
const newUser = async (data: { firstName: string; lastName: string; email?: string; active?: boolean }) =>
  (await db().user.create({ data: { organizationId: who.organizationId, type: 'provider', ...data } })).id;
const newUrl = async (userId: number, url: string, title: string | null) =>
  (await db().userReviewUrl.create({ data: { organizationId: who.organizationId, userId, url, title } })).id;
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

describe('review URLs', () => {
  it.each(['/user-review-url/', '/user-review-url'])('at %s are those of who works there now, by id, in pages', async (path) => {
    const [bo, ada, , second] = ids.urls;
    const answer = await who.get(path);
    expect(answer.status).toBe(200);
    expect(uuids(answer)).toEqual([bo, ada, second]);
    expect(answer.body.data[1]).toEqual({
      uuid: ada,
      user_id: ids.ada,
      user: { uuid: ids.ada, firstname: 'Ada', lastname: 'Quinn' },
      url: 'https://reviews.example.com/ada',
      title: 'Riverside',
      created_at: INSTANT,
      updated_at: INSTANT,
    });
    expect(uuids(await who.get(`${path}?limit=2&page=2`))).toEqual([second]);
  });

  it('are read one by one, also of who has left', async () => {
    const [, ada, gone] = ids.urls;
    const answer = await who.get(`/user-review-url/${ada}`);
    expect([answer.status, answer.body.data.url]).toEqual([200, 'https://reviews.example.com/ada']);
    expect(answer.headers.etag).toBeDefined();
    expect((await who.get(`/user-review-url/${gone}`)).body.data.user_id).toBe(ids.gone);
    expect((await who.get('/user-review-url/x')).status).toBe(400);
  });
});

describe('users who can be reviewed', () => {
  const list = async (query = '') => who.get(`/user-review-url/listUsersWithReviewUrl?${query}`);

  it('are shown with every address, without who has none or has left', async () => {
    const [bo, ada, , second] = ids.urls;
    const { body } = await list();
    expect(body.data).toMatchObject([
      { uuid: ids.bo, firstname: 'Bo', lastname: 'Ek', email: null, review_urls: [{ uuid: bo }] },
      {
        uuid: ids.ada,
        firstname: 'Ada',
        lastname: 'Quinn',
        email: 'ada@example.com',
        user_type: 'provider',
        review_urls: [{ uuid: ada }, { uuid: second }],
      },
    ]);
    expect(body.data[1].review_urls[0]).toEqual({
      uuid: ada,
      url: 'https://reviews.example.com/ada',
      title: 'Riverside',
      created_at: INSTANT,
      updated_at: INSTANT,
    });
    expect(body.meta.total).toBe(2);
  });

  it('are sorted as asked, in pages', async () => {
    const [ada, bo] = [ids.ada, ids.bo];
    const sorts = {
      '': [bo, ada],
      'order=DESC': [ada, bo],
      'sort=firstname': [ada, bo],
      'sort=id': [ada, bo],
      'sort=uuid&order=desc': [bo, ada],
    };
    for (const [query, expected] of Object.entries(sorts)) expect(uuids(await list(query)), query).toEqual(expected);
    expect(uuids(await list('limit=1&page=2'))).toEqual([ada]);
    const unknown = await list('sort=url');
    expect(unknown.status).toBe(400);
    expect(unknown.body.errors).toMatchObject([{ pointer: '/sort', detail: expect.stringContaining('lastname') }]);
  });
});
