import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { type Person, uuids } from '../../people/people.ts';

const test = await sharedTestApp();
const own: Person = await signedInUser(test);

const rows = () => test.database.prisma;
const keep = (message: unknown) => own.post('/canned-replies').send({ message });

describe('a canned reply', () => {
  it('is kept with its lines, with who wrote it, and leaves an event', async () => {
    const answer = await keep('  We will call you back.\nÀ bientôt 👋 ');
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      message: 'We will call you back.\nÀ bientôt 👋',
      user: { uuid: own.user.id, firstname: 'Una', lastname: 'User' },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const read = await own.get(`/canned-replies/${answer.body.data.uuid}`);
    expect([read.status, read.body, read.headers.etag]).toEqual([200, answer.body, answer.headers.etag]);
    const where = { organizationId: own.organizationId, subjectType: 'canned_reply', subjectId: answer.body.data.uuid };
    const events = await rows().event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ name, changed, actor }) => [name, changed, actor])).toEqual([
      ['canned_reply.created', ['message'], `user:${own.user.id}`],
    ]);
    const audit = { organizationId: own.organizationId, resource: 'canned_reply', resourceIds: { has: answer.body.data.uuid } };
    expect((await rows().auditEntry.findMany({ where: audit, orderBy: { id: 'asc' } })).map(({ action }) => action)).toEqual(['create']);
  });

  it('may be as long as one text, and no longer', async () => {
    for (const longest of ['x', '👋'].map((one) => one.repeat(1_600))) expect((await keep(longest)).status).toBe(201);
    for (const longer of ['x', '👋'].map((one) => one.repeat(1_601))) expect((await keep(longer)).status).toBe(400);
    expect((await keep('x'.repeat(50_000))).status).toBe(400);
  });

  it.each([undefined, null, '', ' \n', 5, ['a'], 'a\0', '\ud800'])('is refused as %j', async (message) => {
    const answer = await keep(message);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/message']);
  });

  it('is kept once for a request that is sent again with its key', async () => {
    const send = (message: string) => own.post('/canned-replies').set('idempotency-key', 'reply-1').send({ message });
    const [first, again, other] = [await send('Soon'), await send('Soon'), await send('Later')];
    expect([again.text, again.headers['idempotent-replayed'], other.status]).toEqual([first.text, 'true', 422]);
    expect(await rows().cannedReply.count({ where: { organizationId: own.organizationId, message: 'Soon' } })).toBe(1);
  });

  it('that nobody signed wrote has no user', async () => {
    const { id } = await rows().cannedReply.create({ data: { organizationId: own.organizationId, message: 'Hello' } });
    expect((await own.get(`/canned-replies/${id}`)).body.data).toMatchObject({ message: 'Hello', user: null });
  });

  it.each(['0', 'x', '2147483648'])('is not asked for as %s', async (id) => {
    const answer = await own.get(`/canned-replies/${id}`);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/id']);
  });

  it('is changed and deleted, by whoever has seen its present state, if they say so', async () => {
    const made = await keep('Soon');
    const path = `/canned-replies/${made.body.data.uuid}`;
    const changed = await own
      .put(path)
      .set('if-match', made.headers.etag ?? '')
      .send({ message: 'Tomorrow' });
    expect([changed.status, changed.body.data.message]).toEqual([200, 'Tomorrow']);
    expect((await own.delete(path).set('if-match', made.headers.etag ?? '')).status).toBe(412);
    await own.delete(path).expect(204);
    expect([(await own.get(path)).status, (await own.put(path).send({ message: 'A' })).status, (await own.delete(path)).status]).toEqual([
      404, 404, 404,
    ]);
    const where = { organizationId: own.organizationId, subjectType: 'canned_reply', subjectId: made.body.data.uuid };
    const events = await rows().event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ name }) => name)).toEqual(['canned_reply.created', 'canned_reply.updated', 'canned_reply.deleted']);
  });
});

describe('the list of canned replies', () => {
  it('is by id, page by page, with who wrote each', async () => {
    const clinic = await signedInUser(test);
    const colleague = await signedInUser(test, { organizationId: clinic.organizationId, type: 'provider' });
    const ids: number[] = [];
    for (const who of [clinic, colleague, clinic]) ids.push((await who.post('/canned-replies').send({ message: 'Hello' })).body.data.uuid);
    const answer = await clinic.get('/canned-replies');
    expect(uuids(answer)).toEqual(ids);
    const authors = answer.body.data.map(({ user }: { user: { uuid: number } }) => user.uuid);
    expect(authors).toEqual([clinic.user.id, colleague.user.id, clinic.user.id]);
    const second = await clinic.get('/canned-replies?limit=2&page=2');
    expect([uuids(second), second.body.meta.total, second.body.links.next]).toEqual([[ids[2]], 3, null]);
    expect((await clinic.get('/canned-replies?limit=0')).status).toBe(400);
  });
});
