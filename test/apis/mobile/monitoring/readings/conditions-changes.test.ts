import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { openConditionTracking, TRACKED_CONDITIONS } from './tracked-conditions.ts';

const PATH = TRACKED_CONDITIONS;

const test = await sharedTestApp();
const tracking = await openConditionTracking(test);
const { own, organizationId, pressure, weight, post } = tracking;
const rows = () => test.database.prisma;

let patient: number;
beforeEach(async () => {
  patient = await tracking.newPatient();
});

const track = (body: object = {}) => tracking.track(patient, body);

describe('a change of a tracked condition', () => {
  it('changes only what is sent, and nothing at all is no change', async () => {
    const before = await track({ user_uuid: own.user.id });
    const path = `${PATH}/${before.uuid}`;
    expect((await own.put(path).send({})).body.data).toEqual(before);
    expect((await own.put(path).send({ patient_uuid: patient, items: [pressure], icd_lex_code: 24526 })).body.data).toEqual(before);
    const { updated_at: _, ...same } = before;
    // The other name of the same condition is added.
    expect((await own.put(path).send({ icd_code: 'i10' })).body.data).toMatchObject({ ...same, icd_code: 'I10' });
    expect((await own.put(path).send({ user_uuid: null, icd_lex_code: null })).body.data).toMatchObject({
      user: null,
      user_uuid: null,
      icd_lex_code: null,
    });
    expect((await own.put(path).send({ icd_code: null })).body).toMatchObject({ status: 400, errors: [{ pointer: '/icd_lex_code' }] });
    const events = await rows().event.findMany({
      where: { organizationId, subjectType: 'tracked_condition', subjectId: before.uuid },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed.toSorted()])).toEqual([
      ['tracked_condition.created', []],
      ['tracked_condition.updated', ['icdCode']],
      ['tracked_condition.updated', ['icdLexCode', 'userId']],
    ]);
  });

  it('keeps a target that is not sent, and what was aimed at before for what was measured before', async () => {
    const { uuid } = await track({ items: [{ item_uuid: pressure, max_target: 130 }] });
    const path = `${PATH}/${uuid}`;
    const items = async (sent: unknown) => (await own.put(path).send({ items: sent })).body.data.items;
    expect(await items([{ item_uuid: pressure, min_target: 100 }])).toMatchObject([{ min_target: 100, max_target: 130 }]);
    expect(await items([{ item_uuid: pressure, danger_max: 180 }])).toMatchObject([{ min_target: 100, max_target: 130, danger_max: 180 }]);
    expect(await items([{ item_uuid: pressure, danger_max: null }])).toMatchObject([{ max_target: 130, danger_max: null }]);
    expect(await items([pressure, weight])).toMatchObject([{ max_target: 130 }, { uuid: weight }]);
    expect(await items([weight])).toMatchObject([{ uuid: weight }]);
    // Taken up anew it begins with what the item has.
    expect(await items([weight, pressure])).toMatchObject([{ min_target: 90, max_target: 140 }, { uuid: weight }]);
    expect(await items(null)).toEqual([]);
    const kept = await rows().trackedConditionItem.findMany({
      where: { organizationId, trackedConditionId: uuid, itemId: pressure },
      orderBy: { id: 'asc' },
    });
    expect(kept.map(({ minTarget, maxTarget }) => [minTarget?.toNumber(), maxTarget?.toNumber()])).toEqual([
      [90, 130],
      [100, 130],
      [100, 130],
      [100, 130],
      [90, 140],
    ]);
    expect(kept[0]?.since).toBeNull();
    expect(kept[1]?.since).toEqual(kept[0]?.until);
    expect(kept.every(({ until }) => until !== null)).toBe(true);
  });

  it('does not take it to another patient', async () => {
    const { uuid } = await track();
    const other = await createPatient(rows(), { organizationId });
    const answer = await own.put(`${PATH}/${uuid}`).send({ patient_uuid: other.id });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, '/patient_uuid']);
  });

  it.each([
    ['an ICD-10-CM code', { icd_code: 'E11.9' }, { icd_code: 'E11.9', icd_lex_code: null }],
    ['such a code in the other field', { icd_lex_code: 'e119' }, { icd_code: 'E11.9', icd_lex_code: null }],
    ['a number of the lexicon', { icd_lex_code: 7 }, { icd_code: null, icd_lex_code: 7 }],
    ['both', { icd_code: 'E11.9', icd_lex_code: 7 }, { icd_code: 'E11.9', icd_lex_code: 7 }],
    ['the same code again', { icd_code: 'I10' }, { icd_code: 'I10', icd_lex_code: 24526 }],
    ['one without the other', { icd_code: null }, { icd_code: null, icd_lex_code: 24526 }],
  ])('to %s leaves no name of the former condition behind', async (_, sent, left) => {
    const { uuid } = await track({ icd_code: 'I10' });
    expect((await own.put(`${PATH}/${uuid}`).send(sent)).body.data).toMatchObject(left);
    expect((await own.get(`${PATH}/${uuid}`)).body.data).toMatchObject(left);
  });

  it('is not made by who read an older state', async () => {
    const answer = await post({ patient_uuid: patient, icd_lex_code: 1 });
    const path = `${PATH}/${answer.body.data.uuid}`;
    const etag = String(answer.headers.etag);
    await own
      .put(path)
      .set('if-match', etag)
      .send({ items: [pressure] })
      .expect(200);
    await own.put(path).set('if-match', etag).send({ items: [] }).expect(412);
  });

  it('of its items by ten at once leaves each item once', async () => {
    const { uuid } = await track({ items: [] });
    const send = (max: number) => own.put(`${PATH}/${uuid}`).send({ items: [{ item_uuid: pressure, max_target: max }] });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => send(150 + index)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { items } = (await own.get(`${PATH}/${uuid}`)).body.data;
    expect(items).toHaveLength(1);
  });
});

describe('the same condition', () => {
  const refusal = (uuid: number, pointer: string) => ({
    status: 409,
    code: 'condition_tracked',
    detail: expect.stringContaining(`Tracked condition ${uuid} `),
    errors: [{ pointer }],
  });

  it('is tracked once a patient, by whichever name, until it is ended', async () => {
    const { uuid } = await track({ icd_code: 'I10' });
    const again = (body: object) => post({ patient_uuid: patient, ...body });
    expect((await again({ icd_code: 'i10' })).body).toMatchObject(refusal(uuid, '/icd_code'));
    expect((await again({ icd_code: 'I10', icd_lex_code: 1 })).body).toMatchObject(refusal(uuid, '/icd_code'));
    expect((await again({ icd_lex_code: 24526, icd_code: 'E11.9' })).body).toMatchObject(refusal(uuid, '/icd_lex_code'));
    await tracking.track(await tracking.newPatient(), { icd_code: 'I10' });
    const { uuid: other } = await track({ icd_code: 'E11.9', icd_lex_code: null });
    const change = (body: object) => own.put(`${PATH}/${other}`).send(body);
    expect((await change({ icd_code: 'I10' })).body).toMatchObject(refusal(uuid, '/icd_code'));
    expect((await change({ icd_lex_code: 24526 })).body).toMatchObject(refusal(uuid, '/icd_lex_code'));
    expect((await change({ icd_code: 'E11.9', icd_lex_code: 8 })).status).toBe(200);
    await own.delete(`${PATH}/${uuid}`).expect(204);
    expect((await change({ icd_code: 'I10' })).status).toBe(200);
  });

  it('is tracked once by eight requests at once', async () => {
    const { uuid } = await track({ icd_code: 'J44.9', icd_lex_code: null });
    const answers = await Promise.all([
      ...Array.from({ length: 7 }, () => post({ patient_uuid: patient, icd_code: 'I10' })),
      own.put(`${PATH}/${uuid}`).send({ icd_code: 'I10' }),
    ]);
    const made = answers.filter(({ status }) => status !== 409);
    expect(made).toHaveLength(1);
    expect(await rows().trackedCondition.count({ where: { organizationId, patientId: patient, icdCode: 'I10', endedAt: null } })).toBe(1);
  });
});

describe('a tracked condition that is ended', () => {
  it('is in no list and not found, and its history stays', async () => {
    const { uuid } = await track();
    const path = `${PATH}/${uuid}`;
    await own.delete(path).expect(204);
    const gone = [await own.get(path), await own.put(path).send({ icd_code: 'I10' }), await own.delete(path)];
    for (const answer of gone) expect(answer.body).toMatchObject({ status: 404, code: 'tracked_condition_not_found' });
    expect((await own.get(`${PATH}?limit=1000`)).body.data.map((one: { uuid: number }) => one.uuid)).not.toContain(uuid);
    const kept = await rows().trackedCondition.findFirstOrThrow({ where: { organizationId, id: uuid }, include: { items: true } });
    expect([kept.endedAt, kept.items.length]).toEqual([expect.any(Date), 1]);
    const [last] = await rows().event.findMany({ where: { organizationId, subjectId: uuid }, orderBy: { id: 'desc' }, take: 1 });
    expect(last?.name).toBe('tracked_condition.ended');
    const audit = await rows().auditEntry.findFirst({
      where: { organizationId, resource: 'tracked_condition', action: 'delete', resourceIds: { has: uuid } },
    });
    expect(audit).toMatchObject({ resourceIds: [uuid], patientIds: [patient] });
  });
});

describe('the list of tracked conditions', () => {
  it('is sorted by what is asked, and tells what can be asked', async () => {
    const clinic = await signedInUser(test);
    const of = { organizationId: clinic.organizationId };
    const people = [await createPatient(rows(), { ...of, lastName: 'Young' }), await createPatient(rows(), { ...of, lastName: 'Éames' })];
    const codes = [{ icd_code: 'J44.9' }, { icd_code: 'E11.9', icd_lex_code: 7 }, { icd_lex_code: 3 }];
    for (const [index, code] of codes.entries()) await post({ patient_uuid: people[index % 2]?.id, ...code }, clinic).expect(201);
    const order = async (query: string) =>
      (await clinic.get(`${PATH}?${query}`)).body.data.map((one: { icd_code: string | null }) => one.icd_code);
    expect(await order('')).toEqual(['J44.9', 'E11.9', null]);
    expect(await order('sort=icd_code')).toEqual(['E11.9', 'J44.9', null]);
    expect(await order('sort=title&order=DESC')).toEqual(['J44.9', 'E11.9', null]);
    expect(await order('sort=icd_lex_code')).toEqual([null, 'E11.9', 'J44.9']);
    expect(await order('sort=lastname')).toEqual(['E11.9', 'J44.9', null]);
    expect(await order('sort=created_at&order=DESC&limit=1&page=2')).toEqual(['E11.9']);
    const wrong = await clinic.get(`${PATH}?sort=color`);
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('icd_code')]);
  });
});
