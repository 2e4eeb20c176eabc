import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createTemplateUsers, freshCategory, PATH } from './templates.ts';

type Desk = Awaited<ReturnType<typeof createTemplateUsers>>;

const test = await sharedTestApp();
const desk: Desk = await createTemplateUsers(test);
let admin: Desk['admin'];
let staff: Desk['staff'];
let create: Desk['create'];
let listed: Desk['listed'];
let activeIn: Desk['activeIn'];
let events: Desk['events'];

beforeAll(async () => {
  ({ admin, staff, create, listed, activeIn, events } = desk);
});

describe('a template', () => {
  it('is created and listed as the same record, with what it names and costs at least', async () => {
    const category = freshCategory();
    const answer = await admin.post(PATH).send({
      category: ` ${category.toUpperCase()} `,
      name: 'Reminder',
      body: 'Hi {{First Name}},\r\n{{ appointment date }}. Reply Y or N',
      tracks_response: true,
      active: 1,
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      category,
      name: 'Reminder',
      body: 'Hi {{First Name}},\n{{ appointment date }}. Reply Y or N',
      tracks_response: 1,
      active: 1,
      placeholders: ['first name', 'appointment date'],
      segments: 1,
      encoding: 'GSM-7',
      language: 'en',
      variants: [],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await listed({ category })).toEqual([answer.body.data]);
  });

  it('waits and asks nothing unless said', async () => {
    expect(await create()).toMatchObject({ active: 0, tracks_response: 0 });
    expect(await create({ active: null, tracks_response: '' })).toMatchObject({ active: 0, tracks_response: 0 });
  });

  it('is made once under one key', async () => {
    const category = freshCategory();
    const send = () => admin.post(PATH).set('idempotency-key', category).send({ category, name: 'Once', body: 'Hello' });
    const [first, second] = [await send(), await send()];
    expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await listed({ category })).toHaveLength(1);
  });

  it('changes only in what is sent, with and without the slash at the end', async () => {
    const before = await create({ tracks_response: 1 });
    const renamed = await admin.put(`${PATH}/${before.uuid}/`).send({ name: 'Other' });
    expect(renamed.body.data).toEqual({ ...before, name: 'Other', updated_at: renamed.body.data.updated_at });
    const reworded = await admin.put(`${PATH}/${before.uuid}`).send({ body: '{{url}}', tracks_response: null });
    expect(reworded.body.data).toMatchObject({ name: 'Other', body: '{{url}}', placeholders: ['url'], tracks_response: 0 });
    const same = await admin.put(`${PATH}/${before.uuid}/`).send({ name: 'Other' });
    expect(same.body.data).toEqual(reworded.body.data);
    expect((await events(before.uuid)).map(({ name, changed }) => [name, changed.toSorted()])).toEqual([
      ['sms_template.created', ['body', 'category', 'name', 'tracksResponse']],
      ['sms_template.updated', ['name']],
      ['sms_template.updated', ['body', 'tracksResponse']],
    ]);
  });

  it('is not changed by who read an older state', async () => {
    const answer = await admin.post(PATH).send({ category: freshCategory(), name: 'First', body: 'Hello' });
    const path = `${PATH}/${answer.body.data.uuid}/`;
    const etag = String(answer.headers.etag);
    await admin.put(path).set('if-match', etag).send({ name: 'Second' }).expect(200);
    await admin.put(path).set('if-match', etag).send({ name: 'Third' }).expect(412);
  });

  it('is listed by id, in pages, by category and by whether it is in use', async () => {
    const category = freshCategory();
    const ids: number[] = [];
    for (const active of [1, 0, 1]) ids.push((await create({ category, active })).uuid);
    const page = await staff.get(`${PATH}/?category=${encodeURIComponent(category)}&limit=2`);
    expect(page.body.data.map(({ uuid }: { uuid: number }) => uuid)).toEqual(ids.slice(0, 2));
    expect(page.body.meta).toMatchObject({ total: 3, last_page: 2 });
    expect(new URL(page.body.links.next).searchParams.get('category')).toBe(category);
    expect(await activeIn(category)).toEqual([ids[2]]);
    expect((await listed({ category: category.toUpperCase(), active: 0 })).map(({ uuid }: { uuid: number }) => uuid)).toEqual(
      ids.slice(0, 2),
    );
    expect((await listed({ category: '', limit: 1000 })).length).toBeGreaterThan(3);
  });

  it.each(['admin', 'provider', 'staff'] as const)(
    'can be listed and rendered by the role %s, and changed by admins alone',
    async (type) => {
      const user = await signedInUser(test, { ...desk.own, type });
      const { uuid } = await create();
      const expected = type === 'admin' ? [201, 200, 200, 204] : [403, 403, 403, 403];
      const answers = [
        await user.post(PATH).send({ category: freshCategory(), name: 'Mine', body: 'Hello' }),
        await user.put(`${PATH}/${uuid}/`).send({ name: 'Mine' }),
        await user.post(`${PATH}/category/activate/${uuid}`),
        await user.delete(`${PATH}?uuid=${uuid}`),
      ];
      expect(answers.map(({ status }) => status)).toEqual(expected);
      await user.get(PATH).expect(200);
      await user.get(`${PATH}/${(await create()).uuid}/render`).expect(200);
    },
  );
});

describe('a template is refused', () => {
  it.each([
    [{}, ['/category', '/name', '/body']],
    [{ category: ' ', name: '', body: '\n' }, ['/category', '/name', '/body']],
    [{ category: 'c'.repeat(61), name: 'n'.repeat(201), body: 'b'.repeat(1_601) }, ['/category', '/name', '/body']],
    [{ category: 'a', name: 'b', body: 'x'.repeat(50_000) }, ['/body']],
    [{ category: 'a', name: 'b', body: 'NUL \0' }, ['/body']],
    [{ category: 'a', name: 'b', body: 7 }, ['/body']],
    [{ category: 'a', name: 'b', body: 'c', active: 2 }, ['/active']],
    [{ category: 'a', name: 'b', body: 'c', tracks_response: 'maybe' }, ['/tracks_response']],
  ])('as %j, by the names of the fields', async (body, pointers) => {
    const answer = await admin.post(PATH).send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });

  it.each([
    ['Hello {{shoe size}}', 'unknown_placeholder', '{{shoe size}}'],
    ['Hello {{}}', 'unknown_placeholder', '{{}}'],
    [`{{${'x'.repeat(1_000)}}}`, 'unknown_placeholder', `{{${'x'.repeat(60)}}}`],
    ['Hello {{first name', 'unclosed_placeholder', 'unbalanced'],
    ['Hello first name}}', 'unclosed_placeholder', 'unbalanced'],
    ['Hello { First_Name }', 'unclosed_placeholder', '{first name} in single braces'],
  ])('with a body that nobody can fill in, new and changed: %j', async (body, code, words) => {
    const { uuid } = await create();
    const answers = [await admin.post(PATH).send({ category: 'a', name: 'b', body }), await admin.put(`${PATH}/${uuid}/`).send({ body })];
    for (const answer of answers) {
      expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/body', code, detail: expect.stringContaining(words) }] });
      if (code === 'unknown_placeholder') expect(answer.body.detail).toMatch(/\{\{first name\}\}.*\{\{appointment time\}\}/);
    }
  });

  it.each(['0', 'x', '1.5', '2147483648'])('that is named by %j', async (id) => {
    expect((await admin.put(`${PATH}/${id}/`).send({})).body).toMatchObject({ status: 400, errors: [{ pointer: '/uuid' }] });
    const activation = await admin.post(`${PATH}/category/activate/${id}`);
    expect(activation.body).toMatchObject({ status: 400, errors: [{ pointer: '/template-uuid' }] });
    expect(activation.body.instance).toBe('/sms-message-template/category/activate/%7Btemplate-uuid%7D');
    expect((await admin.delete(`${PATH}?uuid=${id}`)).body).toMatchObject({ status: 400, errors: [{ pointer: '/uuid' }] });
  });

  it.each(['active=2', 'active=maybe', `category=${'c'.repeat(61)}`, 'limit=1001', 'page=0'])('as a list by %s', async (query) => {
    await staff.get(`${PATH}?${query}`).expect(400);
  });
});
