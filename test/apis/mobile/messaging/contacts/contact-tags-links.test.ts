import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { type Person, uuids } from '../../people/people.ts';

const test = await sharedTestApp();
const own: Person = await signedInUser(test);

const rows = () => test.database.prisma;
const patient = async ({ organizationId }: Person) => (await createPatient(rows(), { organizationId })).id;
let made = 0;
const tag = async (of: Person): Promise<number> => {
  made += 1;
  return (await of.post('/contact-tags').send({ name: `Tag ${made}` })).body.data.uuid;
};
const link = (of: Person, contact: number, contact_tag_uuid: number, fields: object = {}) =>
  of.post(`/contact-contact-tags/${contact}`).send({ contact_tag_uuid, ...fields });
const listEvents = async ({ organizationId }: Person, subjectId: number) =>
  (await rows().event.findMany({ where: { organizationId, subjectType: 'contact', subjectId }, orderBy: { id: 'asc' } })).map(
    ({ name, changed }) => [name, changed],
  );
const listAudits = async ({ organizationId }: Person, resource: string, id: number) =>
  (await rows().auditEntry.findMany({ where: { organizationId, resource, resourceIds: { has: id } }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

describe('a tag on a contact', () => {
  it('is put on a patient, shown, taken off by the link’s id; the audit names the patient', async () => {
    const [contact, { body }] = [await patient(own), await own.post('/contact-tags').send({ name: 'VIP', color: '#f9a825' })];
    const answer = await link(own, contact, body.data.uuid, { contact_uuid: contact });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      contact_uuid: contact,
      contact_tag_uuid: body.data.uuid,
      tag: { uuid: body.data.uuid, name: 'VIP', color: '#f9a825' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect((await own.get(`/contact-contact-tags?contact_uuid=${contact}`)).body.data).toEqual([answer.body.data]);
    const removed = await own.delete(`/contact-contact-tags/${answer.body.data.uuid}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await own.get(`/contacts/${contact}`)).body.data.tags).toEqual([]);
    expect(await listEvents(own, contact)).toEqual([
      ['contact.tagged', ['tags']],
      ['contact.untagged', ['tags']],
    ]);
    expect(await listAudits(own, 'patient', contact)).toEqual(['update', 'search', 'update', 'read']);
    const again = await own.delete(`/contact-contact-tags/${answer.body.data.uuid}`);
    expect(again.body).toMatchObject({ status: 404, code: 'contact_tag_link_not_found' });
  });

  it('is put on a number that is no patient’s; the audit names the contact', async () => {
    const { id } = await rows().contact.create({ data: { organizationId: own.organizationId, phone: '+19105550123' } });
    const answer = await link(own, id, await tag(own));
    expect(answer.status).toBe(201);
    expect((await own.get(`/contacts/${id}`)).body.data.tags).toHaveLength(1);
    await own.get(`/contact-contact-tags?contact_uuid=${id}`);
    await own.delete(`/contact-contact-tags/${answer.body.data.uuid}`).expect(204);
    expect(await listAudits(own, 'contact', id)).toEqual(['update', 'read', 'search', 'update']);
  });

  it('that stands already is answered again, and is no second one and no event', async () => {
    const [contact, name] = [await patient(own), await tag(own)];
    const first = await link(own, contact, name);
    const answers = await Promise.all(Array.from({ length: 5 }, () => link(own, contact, name)));
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, first.body]);
    expect(await listEvents(own, contact)).toHaveLength(1);
    expect((await own.get(`/contact-contact-tags?contact_uuid=${contact}`)).body.meta.total).toBe(1);
  });

  it('is one for five who put it there at once', async () => {
    const [contact, name] = [await patient(own), await tag(own)];
    const answers = await Promise.all(Array.from({ length: 5 }, () => link(own, contact, name)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.data.uuid}`)).size).toBe(1);
    expect(await listEvents(own, contact)).toHaveLength(1);
  });

  it('is put once for a request that is sent again with its key', async () => {
    const [contact, name] = [await patient(own), await tag(own)];
    const send = () => link(own, contact, name).set('idempotency-key', `link-${contact}`);
    const [first, again] = [await send(), await send()];
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  it('that is deleted meanwhile is on no contact', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [contact, name] = [await patient(own), await tag(own)];
      const [put, deleted] = await Promise.all([link(own, contact, name), own.delete(`/contact-tags/${name}`)]);
      expect([
        [201, 204],
        [404, 204],
      ]).toContainEqual([put.status, deleted.status]);
      expect((await own.get(`/contacts/${contact}`)).body.data.tags).toEqual([]);
    }
  });

  it.each<[object, string]>([
    [{}, '/contact_tag_uuid'],
    [{ contact_tag_uuid: null }, '/contact_tag_uuid'],
    [{ contact_tag_uuid: 'x' }, '/contact_tag_uuid'],
    [{ contact_tag_uuid: 1, contact_uuid: 'x' }, '/contact_uuid'],
    [{ contact_tag_uuid: 1, contact_uuid: 1 }, '/contact_uuid'],
  ])('is refused as %j', async (body, pointer) => {
    const answer = await own.post(`/contact-contact-tags/${await patient(own)}`).send(body);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  });

  it('needs a contact and a tag that stand, of the same organization', async () => {
    const stranger = await signedInUser(test);
    const [contact, name, theirContact, theirTag] = [await patient(own), await tag(own), await patient(stranger), await tag(stranger)];
    for (const nobody of [theirContact, 1_888_888]) {
      expect((await link(own, nobody, name)).body).toMatchObject({ status: 404, code: 'contact_not_found' });
    }
    for (const none of [theirTag, 1_888_888]) {
      const errors = [{ pointer: '/contact_tag_uuid' }];
      expect((await link(own, contact, none)).body).toMatchObject({ status: 404, code: 'contact_tag_not_found', errors });
    }
    const { uuid } = (await link(stranger, theirContact, theirTag)).body.data;
    expect((await own.delete(`/contact-contact-tags/${uuid}`)).status).toBe(404);
    expect((await own.get(`/contact-contact-tags?contact_uuid=${theirContact}`)).body.data).toEqual([]);
    expect((await stranger.get('/contact-contact-tags')).body.meta.total).toBe(1);
  });
});

describe('the list of tags on contacts', () => {
  it('is by id, of one contact, of one tag or of both, and is walked over its links', async () => {
    const clinic = await signedInUser(test);
    const [a, b] = [await patient(clinic), await patient(clinic)];
    const [x, y] = [await tag(clinic), await tag(clinic)];
    const ids: number[] = [];
    for (const [contact, name] of [
      [b, y],
      [a, x],
      [b, x],
    ] as const)
      ids.push((await link(clinic, contact, name)).body.data.uuid);
    const found = async (query: string) => {
      const answer = await clinic.get(`/contact-contact-tags?${query}`);
      expect(answer.body.meta.total).toBe(answer.body.data.length);
      return uuids(answer).map((uuid) => ids.indexOf(uuid));
    };
    expect(await found('')).toEqual([0, 1, 2]);
    expect(await found(`contact_uuid=${b}`)).toEqual([0, 2]);
    expect(await found(`contact_tag_uuid=${x}`)).toEqual([1, 2]);
    expect(await found(`contact_uuid=${b}&contact_tag_uuid=${x}`)).toEqual([2]);
    expect(await found(`contact_uuid=${a}&contact_tag_uuid=${y}`)).toEqual([]);
    expect(await found('contact_uuid=&contact_tag_uuid=')).toEqual([0, 1, 2]);
    const second = await clinic.get('/contact-contact-tags?limit=1&page=2');
    expect(uuids(second)).toEqual([ids[1]]);
    expect(second.body.meta).toMatchObject({ total: 3, last_page: 3 });
    for (const query of ['contact_uuid=x', 'contact_tag_uuid=0', 'page=0'])
      expect((await clinic.get(`/contact-contact-tags?${query}`)).status).toBe(400);
  });
});
