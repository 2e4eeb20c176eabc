import { beforeEach, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient, createProvider, createUser } from '../../../../support/factories.ts';
import { createItem } from '../care.ts';
import { openConditionTracking, TRACKED_CONDITIONS } from './tracked-conditions.ts';

const PATH = TRACKED_CONDITIONS;
const NOBODYS = 2_000_000_000;

const test = await sharedTestApp();
const tracking = await openConditionTracking(test);
const { own, organizationId, pressure, weight, post } = tracking;
const rows = () => test.database.prisma;

let patient: number;
beforeEach(async () => {
  patient = await tracking.newPatient();
});

const track = (body: object = {}) => tracking.track(patient, body);

describe('a tracked condition', () => {
  it('is made by the body of the document alone, with the targets of its items, and read as it was answered', async () => {
    const provider = await createProvider(rows(), { organizationId, firstName: 'Ada', lastName: 'Quinn' });
    const body = {
      patient_uuid: patient,
      provider_uuid: String(provider.id),
      user_uuid: own.user.id,
      icd_lex_code: 24526,
      items: [weight, String(pressure)],
    };
    const answer = await post(body);
    expect(answer.status, answer.text).toBe(201);
    const condition = answer.body.data;
    expect(condition).toEqual({
      uuid: expect.any(Number),
      patient_uuid: patient,
      patient: { uuid: patient, firstname: 'Rosa', lastname: 'Diaz' },
      provider_uuid: provider.id,
      provider: { uuid: provider.id, name: 'Ada Quinn' },
      user_uuid: own.user.id,
      user: { uuid: own.user.id, firstname: own.user.firstName, lastname: own.user.lastName },
      icd_code: null,
      icd_lex_code: 24526,
      items: [
        { uuid: pressure, name: 'Systolic', unit: 'mmHg', min_target: 90, max_target: 140, danger_min: null, danger_max: null },
        { uuid: weight, name: 'Weight', unit: 'lb', min_target: null, max_target: null, danger_min: null, danger_max: null },
      ],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    const read = await own.get(`${PATH}/${condition.uuid}`);
    expect([read.body.data, read.headers.etag]).toEqual([condition, answer.headers.etag]);
    expect((await own.get(`${PATH}?limit=1000`)).body.data).toContainEqual(condition);
    const audits = await rows().auditEntry.findMany({ where: { organizationId, patientIds: { has: patient } }, orderBy: { id: 'asc' } });
    expect(audits.map(({ action, resource }) => [action, resource])).toEqual([
      ['create', 'tracked_condition'],
      ['read', 'tracked_condition'],
      ['search', 'tracked_condition'],
    ]);
    expect(await rows().auditEntry.count({ where: { organizationId, resource: 'patient', resourceIds: { has: patient } } })).toBe(1);
  });

  it.each([
    ['E119', 'E11.9'],
    ['e11.9', 'E11.9'],
    [' I10 ', 'I10'],
    ['U07.1', 'U07.1'],
    ['s72.001a', 'S72.001A'],
    ['C7A.00', 'C7A.00'],
    ['M1A0110', 'M1A.0110'],
  ])('of the code %j is kept as %s', async (sent, kept) => {
    expect(await track({ icd_code: sent, icd_lex_code: null })).toMatchObject({ icd_code: kept, icd_lex_code: null });
    expect(await tracking.track(await tracking.newPatient(), { icd_lex_code: sent })).toMatchObject({ icd_code: kept, icd_lex_code: null });
  });

  it.each(['', 'E', 'E1', '119', '11.9', 'E11.', 'E11.12345', 'E11..9', 'E11 9', 'EE1.9', 'E1-.9', 'E11.9; DROP', 'É11.9', 42, {}])(
    'is not of the code %j, which has not the form of one',
    async (code) => {
      const answer = await post({ patient_uuid: patient, icd_code: code, items: [] });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, code === '' ? '/icd_lex_code' : '/icd_code']);
    },
  );

  it('is refused by the field of an item that is wrong', async () => {
    const answer = await post({
      patient_uuid: patient,
      icd_code: 'I10',
      items: [pressure, { uuid: 1 }, { item_uuid: 1, min_target: 'x' }],
    });
    expect([answer.status, answer.body.errors]).toMatchObject([
      400,
      [{ pointer: '/items/1/item_uuid' }, { pointer: '/items/2/min_target' }],
    ]);
  });

  it('needs one of the two codes, and takes both where they do not disagree', async () => {
    const without = await post({ patient_uuid: patient, items: [pressure] });
    expect([without.status, without.body.errors[0].pointer]).toEqual([400, '/icd_lex_code']);
    expect(await track({ icd_code: 'I10' })).toMatchObject({ icd_code: 'I10', icd_lex_code: 24526 });
    const torn = await post({ patient_uuid: patient, icd_code: 'I10', icd_lex_code: 'I11.0' });
    expect([torn.status, torn.body.errors[0].pointer]).toEqual([400, '/icd_code']);
    for (const code of [0, -1, 1.5, 2 ** 31, 'x', true]) {
      const { status, body } = await post({ patient_uuid: patient, icd_lex_code: code });
      expect([status, body.errors[0].pointer], String(code)).toEqual([400, '/icd_lex_code']);
    }
  });

  it('aims at what is said for an item, one side or both, and else at what the item has', async () => {
    const one = async (entry: object) =>
      (await tracking.track(await tracking.newPatient(), { items: [{ item_uuid: pressure, ...entry }] })).items[0];
    expect(await one({})).toMatchObject({ min_target: 90, max_target: 140 });
    expect(await one({ max_target: 130.5 })).toMatchObject({ min_target: 90, max_target: 130.5 });
    expect(await one({ min_target: null, max_target: 120 })).toMatchObject({ min_target: null, max_target: 120 });
    expect(await one({ min_target: 100, max_target: 100 })).toMatchObject({ min_target: 100, max_target: 100 });
    expect(await one({ danger_min: 90, danger_max: 180.5 })).toMatchObject({ max_target: 140, danger_min: 90, danger_max: 180.5 });
  });

  it.each<[string, (ids: { pressure: number; weight: number }) => unknown, string, string]>([
    ['a range that is none', ({ pressure: id }) => [{ item_uuid: id, min_target: 150, max_target: 140 }], '/items/0', 'out_of_order'],
    ['a danger within the range', ({ pressure: id }) => [{ item_uuid: id, danger_max: 139 }], '/items/0', 'out_of_order'],
    ['a danger above the least', ({ pressure: id }) => [{ item_uuid: id, danger_min: 90.5 }], '/items/0', 'out_of_order'],
    ['dangers that meet', ({ weight: id }) => [{ item_uuid: id, danger_min: 5, danger_max: 5 }], '/items/0', 'out_of_order'],
    ['a least above the usual most', ({ pressure: id }) => [{ item_uuid: id, min_target: 141 }], '/items/0', 'out_of_order'],
    ['an item twice', ({ pressure: id }) => [id, { item_uuid: id }], '/items/1', 'twice'],
  ])('is refused with %s, which is named', async (_, items, pointer, code) => {
    const answer = await post({ patient_uuid: patient, icd_lex_code: 1, items: items({ pressure, weight }) });
    expect([answer.status, answer.body.errors[0].pointer, answer.body.errors[0].code]).toEqual([400, pointer, code]);
  });

  it.each([
    ['no list', 'x'],
    ['words', ['Systolic']],
    ['targets that are no numbers', [{ item_uuid: 1, min_target: 'low' }]],
    ['targets finer than stored', [{ item_uuid: 1, min_target: 0.0001 }]],
    ['targets that are too large', [{ item_uuid: 1, max_target: 1e12 }]],
    ['too many', Array.from({ length: 51 }, (_, index) => index + 1)],
  ])('is refused with %s in its items', async (_, items) => {
    const answer = await post({ patient_uuid: patient, icd_lex_code: 1, items });
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, expect.stringMatching(/^\/items/)]);
  });

  it('names what the organization does not have, and who has left', async () => {
    const stranger = await signedInUser(test);
    const theirs = { organizationId: stranger.organizationId };
    const [item, person, provider] = [
      await createItem(rows(), theirs),
      await createPatient(rows(), theirs),
      await createProvider(rows(), theirs),
    ];
    const [left, gone, ended] = [
      await createUser(rows(), { organizationId, active: false }),
      await createProvider(rows(), { organizationId, active: false }),
      await createItem(rows(), { organizationId, name: 'Old', active: false }),
    ];
    const refused = async (body: object) => {
      const answer = await post({ patient_uuid: patient, icd_lex_code: 1, ...body });
      return [answer.status, answer.body.errors[0]?.pointer];
    };
    for (const [mine, other] of [
      [NOBODYS, NOBODYS],
      [item.id, person.id],
    ]) {
      expect(await refused({ items: [pressure, mine] })).toEqual([404, '/items/1']);
      expect(await refused({ patient_uuid: other })).toEqual([404, '/patient_uuid']);
    }
    expect(await refused({ provider_uuid: provider.id })).toEqual([404, '/provider_uuid']);
    expect(await refused({ user_uuid: stranger.user.id })).toEqual([404, '/user_uuid']);
    expect(await refused({ user_uuid: left.user.id })).toEqual([400, '/user_uuid']);
    expect(await refused({ provider_uuid: gone.id })).toEqual([400, '/provider_uuid']);
    expect(await refused({ items: [ended.id] })).toEqual([409, '/items/0']);
    await rows().privacyRestriction.create({ data: { organizationId, patientId: patient, kind: 'record' } });
    expect(await refused({})).toEqual([404, '/patient_uuid']);
  });
});
