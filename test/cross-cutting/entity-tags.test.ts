import { describe, expect, it } from 'vitest';
import { integrationClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

async function makeAppointment() {
  const { body, headers } = await clinic.post('/appointments').send({});
  const tag = String(headers.etag);
  return { path: `/appointments/${body.data.uuid}`, tag, opaque: tag.slice(1, -1) };
}

describe('If-None-Match', () => {
  it.each([
    ['the tag', (tag: string) => tag, 304],
    ['the tag, made weak on the way', (tag: string) => `W/${tag}`, 304],
    ['a list with the tag', (tag: string) => `"a",W/"b" ,  ${tag}, "c"`, 304],
    ['any', () => '*', 304],
    ['another tag', () => '"another"', 200],
    ['the tag without its quotes', (tag: string) => tag.slice(1, -1), 200],
    ['a part of the tag', (tag: string) => `${tag.slice(0, -2)}"`, 200],
    ['nothing', () => '', 200],
  ])('of %s is compared weakly', async (_what, header, status) => {
    const { path, tag } = await makeAppointment();
    const answer = await clinic.get(path).set('if-none-match', header(tag));
    expect(answer.status).toBe(status);
    expect(answer.headers.etag).toBe(tag);
    expect(answer.headers['x-request-id']).toBeTruthy();
    expect(answer.text === '').toBe(status === 304);
  });

  it('that spares the answer leaves its audit row all the same', async () => {
    const { path, tag } = await makeAppointment();
    await clinic.get(path).set('if-none-match', tag).set('x-request-id', 'spared');
    expect(await test.database.prisma.auditEntry.count({ where: { requestId: 'spared', action: 'read' } })).toBe(1);
  });

  it('has no effect on a change', async () => {
    const { path, tag } = await makeAppointment();
    expect((await clinic.put(path).set('if-none-match', tag).send({ appointment_date: '2027-03-01T09:00:00' })).status).toBe(200);
  });
});

describe('If-Match', () => {
  it.each([
    ['the tag', (tag: string) => tag, 200],
    ['a list with the tag', (tag: string) => `"a" , ${tag}`, 200],
    ['any', () => '*', 200],
    ['the tag, made weak on the way', (tag: string) => `W/${tag}`, 412],
    ['another tag', () => '"another"', 412],
    ['the tag without its quotes', (tag: string) => tag.slice(1, -1), 412],
    ['nothing', () => '', 412],
  ])('of %s is compared strongly', async (_what, header, status) => {
    const { path, tag } = await makeAppointment();
    const answer = await clinic.put(path).set('if-match', header(tag)).send({ appointment_date: '2027-03-01T09:00:00' });
    expect(answer.status).toBe(status);
    const { headers } = await clinic.get(path);
    expect(headers.etag === tag).toBe(status === 412);
  });

  it('lets one of twenty through that hold the same tag', async () => {
    const { path, tag } = await makeAppointment();
    const change = (minute: number) =>
      clinic
        .put(path)
        .set('if-match', tag)
        .send({ appointment_date: `2027-03-01T09:${10 + minute}:00` });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, minute) => change(minute)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(412)]);
  });
});

describe('HEAD', () => {
  it('answers as GET without a body, tag and 304 included', async () => {
    const { path, tag } = await makeAppointment();
    const head = (headers: Record<string, string> = {}) =>
      fetch(`${test.address}/api${path}`, { method: 'HEAD', headers: { authorization: `Bearer ${clinic.token}`, ...headers } });
    const [answer, get, spared] = [await head(), await clinic.get(path), await head({ 'if-none-match': tag })];
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([200, tag, '']);
    expect(answer.headers.get('content-length')).toBe(get.headers['content-length']);
    expect(spared.status).toBe(304);
    expect((await fetch(`${test.address}/api${path}`, { method: 'HEAD' })).status).toBe(401);
  });
});
