import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { type Person, uuids } from '../../people/people.ts';

const test = await sharedTestApp();

const rows = () => test.database.prisma;
const unknown = async (organizationId: number, phone: string, data: object = {}) =>
  (await rows().contact.create({ data: { organizationId, phone, ...data } })).id;

describe('the list of contacts', () => {
  let own: Person;
  /** Ids by index: patients, and numbers that are not a patient's. */
  const ids: number[] = [];
  let tag: number;
  beforeAll(async () => {
    own = await signedInUser(test);
    const { organizationId } = own;
    const people = [
      // 0
      { firstName: 'Zoë', lastName: 'Garcia', mobilePhone: '+19105550101' },
      // 1
      { firstName: 'Ann', lastName: 'López García', mobilePhone: '+19195550102', homePhone: '+19105550199' },
      // 2
      { firstName: 'Ánna', lastName: 'Garza', homePhone: '+442071838750', workPhone: '+13035550105' },
    ];
    for (const data of people) ids.push((await createPatient(rows(), { organizationId, ...data })).id);
    // 3, 4: with a name given by hand, and without one.
    ids.push(await unknown(organizationId, '+19105550188', { firstName: 'Anton', lastName: 'Gardener' }));
    ids.push(await unknown(organizationId, '+17045550177'));
    // 5
    ids.push((await createPatient(rows(), { organizationId, firstName: 'Prue', lastName: 'Ames', status: 'prospective' })).id);
    tag = (await own.post('/contact-tags').send({ name: 'VIP' })).body.data.uuid;
    for (const at of [1, 3, 5]) await own.post(`/contact-contact-tags/${ids[at]}`).send({ contact_tag_uuid: tag }).expect(201);
  });
  const found = async (query: string) => {
    const answer = await own.get(`/contacts?${query.replace('{tag}', String(tag))}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.meta.total).toBe(answer.body.data.length);
    return uuids(answer).map((uuid) => ids.indexOf(uuid));
  };

  it.each([
    // Patients and numbers together; contacts without a name come first.
    ['', [4, 5, 0, 3, 2, 1]],
    ['order=DESC', [1, 2, 3, 0, 5, 4]],
    ['sort=lastname', [4, 5, 0, 3, 2, 1]],
    ['sort=firstname', [4, 1, 2, 3, 5, 0]],
    ['sort=firstname&order=desc', [0, 5, 3, 2, 1, 4]],
    ['sort=uuid', [0, 1, 2, 3, 4, 5]],
    ['sort=id&order=DESC', [5, 4, 3, 2, 1, 0]],
    // Prefixes of last names, of words of them, and of first names, in the order of the whole last name.
    ['search=gar', [0, 3, 2, 1]],
    ['keyword=GARC%C3%ADA', [0, 1]],
    ['search=an', [3, 2, 1]],
    ['search=an&sort=firstname', [1, 2, 3]],
    ['search=ann&keyword=ann&sort=id&order=DESC', [2, 1]],
    ['search=lopezgarcia', [1]],
    ['search=l%C3%B3pez-g', [1]],
    ['search=ann%20lopezgarcia', [1]],
    ['search=a', [5, 3, 2, 1]],
    // Both names, in either order, with or without a comma.
    ['search=an+gar', [3, 2, 1]],
    ['search=gar+an', [3, 2, 1]],
    ['search=gar,an', [3, 2, 1]],
    ['search=Garza,+Anna', [2]],
    ['search=lopez+g', [1]],
    ['search=ann+lopez+gar', [1]],
    ['search=zoe+lopez', []],
    ['search=garza,', [2]],
    ['search=+++gar++', [0, 3, 2, 1]],
    ['search=rci', []],
    ['search=%25', []],
    ['search=_', []],
    ['search=', [4, 5, 0, 3, 2, 1]],
    // Mobile and home numbers, and numbers that are not a patient's, in any spelling.
    ['search=910555', [0, 3, 1]],
    ['search=(910)+555-01', [0, 3, 1]],
    ['search=9105550199', [1]],
    ['search=1-919-555-0102', [1]],
    ['search=%2B19195550102', [1]],
    ['search=442071838750', [2]],
    ['search=%2B442071', [2]],
    ['search=%2B910555', []],
    ['search=7045550177', [4]],
    ['search=555019', []],
    // Tags.
    ['contact_tag_uuid={tag}', [5, 3, 1]],
    ['contact_tag_uuid={tag}&sort=id', [1, 3, 5]],
    ['contact_tag_uuid={tag}&search=gar', [3, 1]],
    ['contact_tag_uuid={tag}&search=an+gar&sort=firstname&order=DESC', [3, 1]],
    ['contact_tag_uuid={tag}&search=910555', [3, 1]],
    ['contact_tag_uuid={tag}&search=zoe', []],
    ['contact_tag_uuid=1888888', []],
    ['contact_tag_uuid=', [4, 5, 0, 3, 2, 1]],
  ])('with %j is %j', async (query, order) => {
    expect(await found(query)).toEqual(order);
  });

  it.each([
    ['search=910', '/search', 'too_short'],
    ['keyword=12-345', '/keyword', 'too_short'],
    ['search=a&keyword=b', '/search', 'contradiction'],
    [`search=${'x'.repeat(201)}`, '/search', undefined],
    ['search=a%00', '/search', undefined],
    ['sort=phone_no', '/sort', undefined],
    ['order=up', '/order', undefined],
    ['limit=1001', '/limit', undefined],
    ['page=0', '/page', undefined],
    ['contact_tag_uuid=x', '/contact_tag_uuid', undefined],
  ])('refuses %s', async (query, pointer, code) => {
    const answer = await own.get(`/contacts?${query}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
    if (code) expect(answer.body.errors[0].code).toBe(code);
  });

  it.each(['', 'order=DESC&', 'sort=firstname&', 'sort=id&', 'search=gar&', 'search=910555&', 'contact_tag_uuid={tag}&'])(
    'with %j is walked page by page over its links, none missed and none twice',
    async (query) => {
      const seen: number[] = [];
      let next = `/contacts?${query.replace('{tag}', String(tag))}limit=1`;
      for (let pages = 0; next !== '' && pages < 8; pages += 1) {
        const answer = await own.get(next);
        seen.push(...uuids(answer));
        next = answer.body.links.next === null ? '' : answer.body.links.next.slice(test.address.length);
      }
      expect(seen.map((uuid) => ids.indexOf(uuid))).toEqual(await found(query.slice(0, -1)));
    },
  );

  it('past its end is empty and still tells the total', async () => {
    expect((await own.get('/contacts?page=9')).body).toMatchObject({ data: [], meta: { total: 6, from: null, to: null } });
  });

  it('is audited as a search that showed patients, and numbers that are nobody’s', async () => {
    const where = { organizationId: own.organizationId, actor: `user:${own.user.id}`, action: 'search' };
    const listAudits = async () =>
      (await rows().auditEntry.findMany({ where, orderBy: { id: 'asc' } })).map((row) => [row.resource, row.resourceIds]);
    const before = (await listAudits()).length;
    await own.get('/contacts?sort=id&limit=4');
    await own.get('/contacts?search=nobody');
    expect((await listAudits()).slice(before)).toEqual([
      ['patient', ids.slice(0, 3)],
      ['contact', [ids[3]]],
    ]);
  });
});
