import { beforeEach, describe, expect, it } from 'vitest';
import { actorWith, clientToken, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createOrganization, createPatient } from '../../../../support/factories.ts';
import { createItem } from '../care.ts';

const PATH = '/remote-patient-monitoring/readings';
const NOBODYS = 2_000_000_000;

const test = await sharedTestApp();
const rows = () => test.database.prisma;
const organizationId = (await createOrganization(rows(), { timeZone: 'America/New_York' })).id;
const nurse = await signedInUser(test, { organizationId, type: 'staff' });
const { token, clientId } = await clientToken(test, ['readings.write'], [organizationId]);
const cloud = actorWith(test, token, organizationId);
const systolic = (await createItem(rows(), { organizationId, dangerMax: 180 })).id;
const weight = (await createItem(rows(), { organizationId, name: 'Weight', unit: 'lb', minTarget: null, maxTarget: null })).id;
const steps = (await createItem(rows(), { organizationId, name: 'Steps', unit: null, minTarget: 4_000, maxTarget: null })).id;

let patient: number;
beforeEach(async () => {
  patient = (await createPatient(rows(), { organizationId })).id;
});

/** One moment for the whole file: measurements of one time are one. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000);
/** An instant as the clocks of a place five hours behind UTC show it. */
const written = (at: Date) => `${new Date(at.getTime() - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`;
const CUFF = { make: 'Acme', model: 'Cuff 2', serial: 'A-17' };
const measured = (more: object = {}) => ({
  patient_uuid: patient,
  item_uuid: systolic,
  value: 130,
  unit: 'mmHg',
  measured_at: written(minutesAgo(10)),
  device: CUFF,
  ...more,
});
const send = (body: object, actor = cloud) => actor.post(PATH).send(body);
const listed = async (query = '') => (await nurse.get(`/remote-patient-monitoring/patients/${patient}/readings${query}`).expect(200)).body;

describe('a reading', () => {
  it('is sent by the cloud of a device, stored with its source and target, and audited as sent by the client', async () => {
    const at = minutesAgo(10);
    const { status, body } = await send(measured({ value: 185, measured_at: written(at) }));
    expect(status, JSON.stringify(body)).toBe(201);
    const reading = {
      kind: 'reading',
      uuid: expect.any(Number),
      patient_uuid: patient,
      item: { uuid: systolic, name: 'Systolic', unit: 'mmHg' },
      value: 185,
      measured_at: at.toISOString().replace('.000', ''),
      received_at: expect.stringMatching(/Z$/),
      source: 'device',
      device: { uuid: expect.any(Number), identifier: 'Acme Cuff 2 A-17', ...CUFF },
      checkin_uuid: null,
      recorded_by_user_uuid: expect.any(Number),
      target: { min: 90, max: 140, danger_min: null, danger_max: 180, source: 'item', tracked_condition_uuids: [] },
      state: 'danger',
      entered_in_error: null,
    };
    expect(body.data).toEqual({ ...reading, duplicate: false });
    expect((await listed()).data).toEqual([reading]);
    const where = { organizationId, actor: `client:${clientId}`, resource: 'reading', patientIds: { has: patient } };
    expect(await rows().auditEntry.findMany({ where })).toMatchObject([
      { action: 'create', resourceIds: [body.data.uuid], operation: `POST ${PATH}` },
    ]);
    const event = { organizationId, subjectType: 'reading', subjectId: body.data.uuid };
    expect(await rows().event.findMany({ where: event })).toMatchObject([{ name: 'reading.created' }]);
  });

  it('of one device, item and time is one: sent again it is answered as stored, and with another value it is refused', async () => {
    const first = await send(measured());
    const again = await send(measured({ device: { identifier: 'ACME cuff 2 a-17' } }));
    expect([again.status, again.body.data]).toEqual([200, { ...first.body.data, duplicate: true }]);
    const other = await send(measured({ value: 131 }));
    expect([other.status, other.body.code, other.body.errors[0].pointer]).toEqual([409, 'reading_differs', '/value']);
    expect((await send(measured({ value: 131, device: { identifier: 'another' } }))).status).toBe(201);
    // Its maker is told later.
    expect((await send(measured({ value: 131, device: { identifier: 'another', make: 'Acme' } }))).body.data.device).toMatchObject({
      make: 'Acme',
    });
    expect((await listed()).data).toHaveLength(2);
  });

  it('that is sent by many at once is stored once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => send({ readings: [measured(), measured({ item_uuid: weight, unit: 'kg' })] })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect((await listed()).data).toHaveLength(2);
  });

  it('is the staff’s where a user names no device, the patient’s where they say so, and sent again it is one', async () => {
    const byHand = { ...measured(), device: undefined };
    const answer = await send(byHand, nurse);
    expect(answer.body.data).toMatchObject({ source: 'staff', device: null, recorded_by_user_uuid: nurse.user.id });
    expect((await send(byHand, nurse)).body.data).toEqual({ ...answer.body.data, duplicate: true });
    expect((await send({ ...byHand, source: 'self' }, nurse)).body.data).toMatchObject({ source: 'self', duplicate: false });
    expect((await send({ ...byHand, source: 'self', value: 129 })).body).toMatchObject({ code: 'reading_differs' });
  });

  it.each([
    ['kg', 100, 220.462],
    ['LB', 180.0004, 180],
    [' [lb_av] ', 180.4567, 180.457],
  ])('in %s is brought to the unit of its item', async (unit, value, stored) => {
    expect((await send(measured({ item_uuid: weight, unit, value }))).body.data).toMatchObject({ value: stored, item: { unit: 'lb' } });
  });

  it.each<[string, object, string, string]>([
    ['without a unit', { unit: undefined }, '/unit', 'missing'],
    ['in a unit of something else', { unit: 'kg' }, '/unit', 'other_unit'],
    ['in a unit, of an item without one', { item_uuid: steps, unit: 'steps' }, '/unit', 'no_unit'],
    ['of a time without an offset', { measured_at: '2026-11-01T08:00:00' }, '/measured_at', 'offset_missing'],
    ['of the future', { measured_at: written(minutesAgo(-60)) }, '/measured_at', 'in_future'],
    ['of last year', { measured_at: written(minutesAgo(366 * 24 * 60)) }, '/measured_at', 'too_old'],
    ['too large to be stored', { value: 1e9 }, '/value', 'out_of_range'],
    ['without a value', { value: undefined }, '/value', 'missing'],
    ['of a device without a name', { device: { make: 'Acme' } }, '/device', 'device_without_identifier'],
    ['of a device that is said to be the patient’s word', { source: 'self' }, '/source', 'contradiction'],
    ['of no device by a client that does not say whose it is', { device: undefined }, '/device', 'missing'],
    ['of the staff by a client', { device: undefined, source: 'staff' }, '/source', 'not_staff'],
    ['beside a list of readings', { readings: [{}] }, '/readings', 'contradiction'],
  ])('%s is refused by the name of the field', async (_, wrong, pointer, code) => {
    const { status, body } = await send(measured(wrong));
    expect([status, body.errors]).toEqual([400, [{ pointer, code, detail: expect.any(String) }]]);
    expect((await listed()).data).toEqual([]);
  });

  it.each<[string, () => Promise<object>]>([
    ['nobody', async () => ({ patient_uuid: NOBODYS })],
    [
      'another practice’s patient',
      async () => ({ patient_uuid: (await createPatient(rows(), { organizationId: (await createOrganization(rows())).id })).id }),
    ],
    ['a deleted chart', async () => ({ patient_uuid: (await createPatient(rows(), { organizationId, status: 'deleted' })).id })],
    ['an unknown item', async () => ({ item_uuid: NOBODYS })],
  ])('of %s is not found', async (_, wrong) => {
    expect((await send(measured(await wrong()))).status).toBe(404);
  });

  it('of a day after the patient’s death is refused, and of the days before it is not', async () => {
    await rows().patient.update({
      where: { organizationId_id: { organizationId, id: patient } },
      data: {
        deceasedDate: new Date(
          minutesAgo(3 * 24 * 60)
            .toISOString()
            .slice(0, 10),
        ),
      },
    });
    expect((await send(measured())).body).toMatchObject({ status: 409, code: 'patient_deceased' });
    expect((await send(measured({ measured_at: written(minutesAgo(5 * 24 * 60)) }))).status).toBe(201);
  });

  it('with an Idempotency-Key is answered byte for byte as the first time', async () => {
    const body = measured();
    const [one, other] = [await send(body).set('Idempotency-Key', 'cuff-1'), await send(body).set('Idempotency-Key', 'cuff-1')];
    expect([other.status, other.text, other.headers['idempotent-replayed']]).toEqual([201, one.text, 'true']);
  });
});

describe('a batch of readings', () => {
  it('stores each that can be stored, and says of each other one what is wrong', async () => {
    const { status, body } = await send({
      readings: [measured(), measured(), measured({ value: 99 }), { value: 'high' }, measured({ item_uuid: weight, unit: '°F' }), 7],
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ kind: 'batch', stored: 1, duplicates: 1, refused: 4 });
    const refused = (...errors: [string, string][]) => ({
      outcome: 'refused',
      reading: null,
      errors: errors.map(([pointer, code]) => ({ pointer, code, detail: expect.any(String) })),
    });
    const { uuid } = body.data.results[0].reading;
    expect(body.data.results).toEqual([
      { outcome: 'stored', reading: expect.objectContaining({ value: 130 }), errors: [] },
      { outcome: 'duplicate', reading: expect.objectContaining({ uuid }), errors: [] },
      refused(['/value', 'reading_differs']),
      refused(['/value', 'invalid_type'], ['/measured_at', 'missing']),
      refused(['/unit', 'other_unit']),
      refused(['/body', 'invalid_type']),
    ]);
    expect((await send({ readings: [measured()] })).status).toBe(200);
  });

  it('takes a thousand, of many devices, and not one more', async () => {
    const readings = Array.from({ length: 1_000 }, (_, index) =>
      measured({ value: 181 + (index % 20), measured_at: written(minutesAgo(index + 1)), device: { identifier: `cuff ${index % 50}` } }),
    );
    const { body } = await send({ readings });
    expect(body.data).toMatchObject({ stored: 1_000, duplicates: 0, refused: 0 });
    expect((await send({ readings })).body.data).toMatchObject({ stored: 0, duplicates: 1_000 });
    expect(await rows().monitoringDevice.count({ where: { organizationId, identifier: { startsWith: 'cuff ' } } })).toBe(50);
    expect((await send({ readings: [...readings, measured()] })).body).toMatchObject({ status: 400, errors: [{ pointer: '/readings' }] });
  });
});

describe('an API client', () => {
  it('without the scope is refused, and with it at every other address of this API', async () => {
    const { token: without } = await clientToken(test, ['integration.write'], [organizationId]);
    expect((await send(measured(), actorWith(test, without, organizationId))).body).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
    });
    expect((await cloud.get(`/remote-patient-monitoring/patients/${patient}/readings`)).body).toMatchObject({
      status: 403,
      code: 'wrong_token',
    });
  });

  it('with the scope belongs to one practice', async () => {
    const other = await createOrganization(rows());
    await expect(clientToken(test, ['practice.read', 'readings.write'], [organizationId, other.id])).rejects.toThrow('one organization');
  });
});
