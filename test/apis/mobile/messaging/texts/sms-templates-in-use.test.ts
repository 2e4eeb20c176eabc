import { beforeAll, describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { createTemplateUsers, freshCategory, PATH } from './templates.ts';

type Desk = Awaited<ReturnType<typeof createTemplateUsers>>;

const test = await sharedTestApp();
const desk: Desk = await createTemplateUsers(test);
let admin: Desk['admin'];
let create: Desk['create'];
let listed: Desk['listed'];
let activeIn: Desk['activeIn'];
let events: Desk['events'];

beforeAll(async () => {
  ({ admin, create, listed, activeIn, events } = desk);
});

describe('in each category one template is in use', () => {
  it('the one that was put in use last: by creating, activating, changing or moving it', async () => {
    const [category, elsewhere] = [freshCategory(), freshCategory()];
    const first = await create({ category, active: 1 });
    const second = await create({ category, active: 1 });
    expect(await activeIn(category)).toEqual([second.uuid]);
    const activated = await admin.post(`${PATH}/category/activate/${first.uuid}/`);
    expect([activated.status, activated.body.data.active]).toEqual([200, 1]);
    expect(await activeIn(category)).toEqual([first.uuid]);
    await admin.put(`${PATH}/${second.uuid}/`).send({ active: 1 }).expect(200);
    expect(await activeIn(category)).toEqual([second.uuid]);
    const moved = await create({ category: elsewhere, active: 1 });
    await admin.put(`${PATH}/${moved.uuid}/`).send({ category }).expect(200);
    expect([await activeIn(category), await activeIn(elsewhere)]).toEqual([[moved.uuid], []]);
    const told = (await events(second.uuid)).map(({ name, changed }) => [name, changed]).slice(1);
    expect(told).toEqual([1, 2, 3].map(() => ['sms_template.updated', ['active']]));
  });

  it('or none, and those of other categories stay', async () => {
    const [category, other] = [await create({ active: 1 }), await create({ active: 1 })];
    await admin.put(`${PATH}/${category.uuid}/`).send({ active: 0 }).expect(200);
    expect([await activeIn(category.category), await activeIn(other.category)]).toEqual([[], [other.uuid]]);
  });

  it('activating it again is no change', async () => {
    const { uuid } = await create({ active: 1 });
    await admin.post(`${PATH}/category/activate/${uuid}`).expect(200);
    expect(await events(uuid)).toHaveLength(1);
  });

  it('however many are activated, created and moved there at once', async () => {
    const category = freshCategory();
    const waiting: number[] = [];
    for (let count = 0; count < 12; count += 1) waiting.push((await create({ category })).uuid);
    const mover = await create({ active: 1 });
    const answers = await Promise.all([
      ...waiting.map((id) => admin.post(`${PATH}/category/activate/${id}`)),
      ...waiting.map((id) => admin.put(`${PATH}/${id}/`).send({ active: 1, name: 'At once' })),
      ...waiting.map(() => admin.post(PATH).send({ category, name: 'New', body: 'Hello', active: 1 })),
      admin.put(`${PATH}/${mover.uuid}/`).send({ category }),
    ]);
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 201)).toEqual([]);
    expect(await activeIn(category)).toHaveLength(1);
  });
});

describe('deleting a template', () => {
  it.each([
    ['the query', (id: number) => admin.delete(`${PATH}?uuid=${id}`)],
    ['the body', (id: number) => admin.delete(PATH).send({ uuid: id })],
    ['the body, in quotes', (id: number) => admin.delete(`${PATH}/`).send({ uuid: String(id) })],
    ['both', (id: number) => admin.delete(`${PATH}?uuid=${id}`).send({ uuid: id })],
  ])('by %s takes it out of every list and every use, once', async (_, remove) => {
    const { uuid, category } = await create({ active: 1, tracks_response: 1 });
    expect((await remove(uuid)).status).toBe(204);
    expect(await listed({ category })).toEqual([]);
    const after = [
      await remove(uuid),
      await admin.put(`${PATH}/${uuid}/`).send({ name: 'Again' }),
      await admin.post(`${PATH}/category/activate/${uuid}`),
      await admin.get(`${PATH}/${uuid}/render`),
      await admin.get(`/sms-message-track-response-template/${uuid}/render`),
    ];
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect((await events(uuid)).at(-1)?.name).toBe('sms_template.deleted');
  });

  it('that is in use puts no other in its place, and leaves the place free', async () => {
    const category = freshCategory();
    const [waiting, active] = [await create({ category }), await create({ category, active: 1 })];
    await admin.delete(`${PATH}?uuid=${active.uuid}`).expect(204);
    expect(await activeIn(category)).toEqual([]);
    await admin.post(`${PATH}/category/activate/${waiting.uuid}`).expect(200);
    expect(await activeIn(category)).toEqual([waiting.uuid]);
  });

  it('keeps it for the texts that name it', async () => {
    const { uuid } = await create();
    const message = await test.database.prisma.smsMessage.create({
      data: { ...desk.own, direction: 'outbound', toNumber: '+19105550123', body: 'Hello', state: 'sent', templateId: uuid },
    });
    await admin.delete(`${PATH}?uuid=${uuid}`).expect(204);
    const kept = await test.database.prisma.smsMessage.findFirst({ where: { ...desk.own, id: message.id }, include: { template: true } });
    expect(kept?.template).toMatchObject({ id: uuid, name: 'Short', active: false });
  });

  it('needs one template, and only one', async () => {
    const { uuid } = await create();
    for (const answer of [await admin.delete(PATH), await admin.delete(PATH).send({}), await admin.delete(PATH).send({ uuid: null })]) {
      expect(answer.body).toMatchObject({ status: 400, errors: [{ pointer: '/uuid', code: 'missing' }] });
    }
    const two = await admin.delete(`${PATH}?uuid=${uuid}`).send({ uuid: uuid + 1 });
    expect(two.body).toMatchObject({ status: 400, errors: [{ pointer: '/uuid', code: 'ambiguous' }] });
  });
});
