import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import type { Person } from '../../people/people.ts';

const test = await sharedTestApp();
const own: Person = await signedInUser(test);

const rows = () => test.database.prisma;

async function create(name: string, fields: object = {}) {
  const answer = await own.post('/contact-tags').send({ name, ...fields });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
}

describe('a contact tag', () => {
  it('is created and listed as the same record, and leaves events', async () => {
    const answer = await own.post('/contact-tags').send({ name: ' Family ', color: '#2E7D32' });
    expect(answer.status).toBe(201);
    const tag = answer.body.data;
    expect(tag).toEqual({
      uuid: expect.any(Number),
      name: 'Family',
      color: '#2e7d32',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await own.get('/contact-tags?limit=1000')).body.data).toContainEqual(tag);
    await own.put(`/contact-tags/${tag.uuid}`).send({ color: '#000' }).expect(200);
    await own.put(`/contact-tags/${tag.uuid}`).send({ name: 'Family', color: '#000000' }).expect(200);
    await own.delete(`/contact-tags/${tag.uuid}`).expect(204);
    const events = await rows().event.findMany({
      where: { organizationId: own.organizationId, subjectType: 'contact_tag', subjectId: tag.uuid },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed, actor }) => [name, changed, actor])).toEqual([
      ['contact_tag.created', ['name', 'color'], `user:${own.user.id}`],
      ['contact_tag.updated', ['color'], `user:${own.user.id}`],
      ['contact_tag.deleted', [], `user:${own.user.id}`],
    ]);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId: own.organizationId, resource: 'contact_tag', resourceIds: { has: tag.uuid } },
      orderBy: { id: 'asc' },
    });
    expect(audits.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });

  it.each([
    [undefined, '#9e9e9e'],
    [null, '#9e9e9e'],
    ['', '#9e9e9e'],
    ['#ABC', '#aabbcc'],
    ['f9a825', '#f9a825'],
    [' #F9A825 ', '#f9a825'],
  ])('with the color %j has %s', async (color, stored) => {
    expect((await create(`Color ${JSON.stringify(color)}`, { color })).color).toBe(stored);
  });

  it.each([
    [{}, '/name'],
    [{ name: '  ' }, '/name'],
    [{ name: null }, '/name'],
    [{ name: 5 }, '/name'],
    [{ name: 'x'.repeat(101) }, '/name'],
    [{ name: 'a\0' }, '/name'],
    [{ name: 'Right', color: 'red;background:url(//x)' }, '/color'],
    [{ name: 'Right', color: '#12' }, '/color'],
    [{ name: 'Right', color: '#ggg' }, '/color'],
    [{ name: 'Right', color: '#1234567' }, '/color'],
    [{ name: 'Right', color: 7 }, '/color'],
  ])('is refused as %j', async (body, pointer) => {
    const answer = await own.post('/contact-tags').send(body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
    if (pointer !== '/color') return;
    const { uuid } = await create(`Changed to ${JSON.stringify(body)}`);
    expect((await own.put(`/contact-tags/${uuid}`).send(body)).status).toBe(400);
  });

  it('has a name that no other has, whatever the case and the accents; in another organization it may', async () => {
    const first = await create('Échéance');
    for (const name of ['Échéance', 'ECHEANCE ', 'echéance']) {
      const answer = await own.post('/contact-tags').send({ name });
      expect(answer.body).toMatchObject({ status: 409, code: 'contact_tag_exists', errors: [{ pointer: '/name' }] });
    }
    const second = await create('Another');
    expect((await own.put(`/contact-tags/${second.uuid}`).send({ name: 'echeance' })).status).toBe(409);
    const renamed = await own.put(`/contact-tags/${first.uuid}`).send({ name: 'echeance' });
    expect([renamed.status, renamed.body.data.name]).toEqual([200, 'echeance']);
    const other = await signedInUser(test);
    expect((await other.post('/contact-tags').send({ name: 'Echeance' })).status).toBe(201);
  });

  it('is made once by ten who ask at once; the others are told', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => own.post('/contact-tags').send({ name: 'Raced' })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  it('is made once for a request that is sent again with its key', async () => {
    const send = () => own.post('/contact-tags').set('idempotency-key', 'tag-1').send({ name: 'Retried' });
    const [first, again] = [await send(), await send()];
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
  });

  it('changes only in what is sent; null takes the color back; nothing at all is no change', async () => {
    const before = await create('Before', { color: '#123456' });
    const path = `/contact-tags/${before.uuid}`;
    expect((await own.put(path).send({})).body.data).toEqual(before);
    expect((await own.put(path).send({ name: 'After' })).body.data).toMatchObject({ name: 'After', color: '#123456' });
    expect((await own.put(path).send({ color: null })).body.data).toMatchObject({ name: 'After', color: '#9e9e9e' });
    expect((await own.put(path).send({ name: null })).status).toBe(400);
  });

  it('is not changed by who read an older state', async () => {
    const answer = await own.post('/contact-tags').send({ name: 'Held' });
    const path = `/contact-tags/${answer.body.data.uuid}`;
    const etag = String(answer.headers.etag);
    await own.put(path).set('if-match', etag).send({ name: 'First' }).expect(200);
    await own.put(path).set('if-match', etag).send({ name: 'Second' }).expect(412);
  });

  it('that is deleted is off every contact, and gone', async () => {
    const { id } = await createPatient(rows(), { organizationId: own.organizationId });
    const { uuid } = await create('Short-lived');
    await own.post(`/contact-contact-tags/${id}`).send({ contact_tag_uuid: uuid }).expect(201);
    await own.delete(`/contact-tags/${uuid}`).expect(204);
    expect((await own.get(`/contacts/${id}`)).body.data.tags).toEqual([]);
    expect((await own.get(`/contact-contact-tags?contact_tag_uuid=${uuid}`)).body.data).toEqual([]);
    const gone = [await own.delete(`/contact-tags/${uuid}`), await own.put(`/contact-tags/${uuid}`).send({ name: 'Back' })];
    for (const answer of gone) expect(answer.body).toMatchObject({ status: 404, code: 'contact_tag_not_found' });
  });
});

describe('the list of contact tags', () => {
  it('is by name unless asked otherwise, and is walked over its links', async () => {
    const clinic = await signedInUser(test);
    for (const name of ['pear', 'Éclair', 'apple', 'Fig']) await clinic.post('/contact-tags').send({ name }).expect(201);
    const names = async (query: string) => (await clinic.get(`/contact-tags?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await names('')).toEqual(['apple', 'Éclair', 'Fig', 'pear']);
    expect(await names('order=DESC')).toEqual(['pear', 'Fig', 'Éclair', 'apple']);
    expect(await names('sort=name&order=asc')).toEqual(['apple', 'Éclair', 'Fig', 'pear']);
    expect(await names('sort=id')).toEqual(['pear', 'Éclair', 'apple', 'Fig']);
    expect(await names('sort=uuid&order=DESC')).toEqual(['Fig', 'apple', 'Éclair', 'pear']);
    const { body } = await clinic.get('/contact-tags?limit=3&page=2');
    expect(body).toMatchObject({ data: [{ name: 'pear' }], meta: { total: 4, last_page: 2, from: 4, to: 4 }, links: { next: null } });
    expect((await clinic.get('/contact-tags?page=9')).body).toMatchObject({ data: [], meta: { total: 4 } });
    for (const query of ['sort=color', 'order=up', 'limit=0']) expect((await clinic.get(`/contact-tags?${query}`)).status).toBe(400);
  });
});
