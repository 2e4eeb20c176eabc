import { describe, expect, it } from 'vitest';
import { jobCaller } from '../../../../../src/domain/caller.ts';
import { addItem, type ItemLimits, updateItem } from '../../../../../src/domain/monitoring/programs/items.ts';
import { actorWith, clientToken, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createOrganization, createPatient } from '../../../../support/factories.ts';

const RPM = '/remote-patient-monitoring';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const { id: organizationId } = await createOrganization(prisma, { timeZone: 'America/New_York' });
const nurse = await signedInUser(test, { organizationId, type: 'staff' });
const provider = await signedInUser(test, { organizationId, type: 'provider' });
const cloud = actorWith(test, (await clientToken(test, ['readings.write'], [organizationId])).token, organizationId);

const NO_LIMITS: ItemLimits = {
  minTarget: null,
  maxTarget: null,
  dangerMin: null,
  dangerMax: null,
  plausibleMin: null,
  plausibleMax: null,
};
const newItem = (name: string, unit: string | null, limits: Partial<ItemLimits> = {}) =>
  test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => addItem(tx, { name, unit, ...NO_LIMITS, ...limits }));

const HOUR_MS = 3_600_000;
const monthAt = (at: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York', year: 'numeric', month: '2-digit' }).format(at);
/** The beginning of an hour that ends now, or an hour ago where a month has begun since. */
const start = Date.now() - (monthAt(Date.now()) === monthAt(Date.now() - HOUR_MS) ? 1 : 2) * HOUR_MS;
let minutes = 0;
/** Another minute for each reading, so that none is one that was sent before. */
const measuredAt = () => new Date(start + (minutes++ % 59) * 60_000).toISOString();

const newPatient = async () => (await createPatient(prisma, { organizationId })).id;
const ofDevice = { device: { identifier: 'D-1' } };
const send = (actor: typeof cloud, patient: number, item: number, value: number, more: object = {}) =>
  actor.post(`${RPM}/readings`).send({ patient_uuid: patient, item_uuid: item, value, measured_at: measuredAt(), ...more });
const listAlerts = async (patient: number) =>
  (await nurse.get(`${RPM}/alerts?patient=${patient}`).expect(200)).body.data.map(({ kind, state }: Record<string, string>) => [
    kind,
    state,
  ]);
const listed = async (patient: number) => (await nurse.get(`${RPM}/patients/${patient}/readings?sort=id&order=ASC`).expect(200)).body.data;

describe('impossible values', () => {
  it.each([
    ['Systolic blood pressure', 'mmHg', [-5, 0, 400], [60, 250]],
    ['Presión diastólica', 'mmHg', [0], [45]],
    ['Oxygen saturation', '%', [-1, 0, 150], [88, 100]],
    ['Fasting glucose', 'mg/dL', [0], [40, 600]],
    ['Weight', 'lb', [0, -2], [7, 700]],
    ['Weight at home', 'kg', [0, 900], [3, 300]],
    ['Steps', null, [-7], [0, 40_000]],
    ['Pulse', 'bpm', [0, 500], [30, 220]],
    ['Temperature', '°F', [0, 200], [95, 105]],
  ])('of %s in %s are known without set-up', async (name, unit, impossible, possible) => {
    const { id } = await newItem(name, unit, { dangerMin: 1 });
    const patient = await newPatient();
    const inUnit = unit === null ? {} : { unit };
    for (const value of impossible) {
      const refused = await send(nurse, patient, id, value, inUnit);
      expect([refused.status, refused.body.errors?.[0]?.pointer, refused.body.errors?.[0]?.code]).toEqual([400, '/value', 'implausible']);
      expect(refused.body.errors[0].detail).toMatch(/from -?[\d.]+ to [\d.]+/);
      expect((await send(cloud, patient, id, value, { ...inUnit, ...ofDevice }).expect(201)).body.data.state).toBe('implausible');
    }
    expect(await listAlerts(patient)).toEqual([]);
    for (const value of possible)
      expect((await send(nurse, patient, id, value, inUnit).expect(201)).body.data.state, String(value)).not.toBe('implausible');
  });

  it('are what the practice says where it says so, with units converted, and one bound is enough', async () => {
    const item = await newItem('Girth', 'cm', { plausibleMin: 30, plausibleMax: 250 });
    expect(item.kind).toBe('physiologic');
    const patient = await newPatient();
    const refused = await send(nurse, patient, item.id, 100, { unit: 'in' }).expect(400);
    expect(refused.body.errors[0].detail).toContain('from 30 to 250 cm');
    const set = (plausibleMax: number | null) =>
      test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => updateItem(tx, item.id, { plausibleMax }));
    await expect(set(20)).rejects.toThrow('plausible');
    await set(null);
    await send(nurse, patient, item.id, 100, { unit: 'in' }).expect(201);
    expect((await send(nurse, patient, item.id, 1, { unit: 'cm' }).expect(400)).body.errors[0].detail).toContain('at least 30 cm');
  });

  it('of a device are shown, and neither alert, nor count, nor are drawn', async () => {
    const { id } = await newItem('SpO2', '%', { minTarget: 92, dangerMin: 88 });
    const patient = await newPatient();
    for (const value of [-1, 150, 97, 85]) await send(cloud, patient, id, value, { unit: '%', ...ofDevice }).expect(201);
    expect((await listed(patient)).map(({ state }: { state: string }) => state)).toEqual([
      'implausible',
      'implausible',
      'within',
      'danger',
    ]);
    expect(await listAlerts(patient)).toEqual([['danger_value', 'open']]);
    const { body } = await nurse.get(`${RPM}/patients/${patient}/readings?bucket=day`).expect(200);
    expect(body.data.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(2);
    const ledger = await nurse.get(`${RPM}/ledger?month=${monthAt(start)}&patient=${patient}`).expect(200);
    expect(ledger.body.data[0].left_out).toContainEqual({ kind: 'readings', code: null, count: 2, why: 'implausible value' });
  });
});

describe('a reading that was entered in error', () => {
  const mark = (actor: typeof cloud, reading: number, body: object) => actor.post(`${RPM}/readings/${reading}/entered-in-error`).send(body);

  it('stays with its reason, closes its alert, leaves room for the right one, and comes back when the mark is undone', async () => {
    const { id } = await newItem('Systolic', 'mmHg', { maxTarget: 140, dangerMax: 180 });
    const patient = await newPatient();
    const at = measuredAt();
    const sent = (value: number) => send(nurse, patient, id, value, { unit: 'mmHg', measured_at: at });
    const reading = (await sent(210).expect(201)).body.data.uuid;
    expect(await listAlerts(patient)).toEqual([['danger_value', 'open']]);
    const marked = await mark(nurse, reading, { reason: 'A slip of the hand.' }).expect(200);
    expect(marked.body.data).toMatchObject({
      value: 210,
      entered_in_error: { reason: 'A slip of the hand.', by_user_uuid: nurse.user.id },
    });
    expect(await listAlerts(patient)).toEqual([['danger_value', 'closed']]);
    await mark(nurse, reading, { reason: 'A slip of the hand.' }).expect(200);
    await mark(nurse, reading, { reason: 'Another one.' }).expect(409);
    const right = (await sent(120).expect(201)).body.data.uuid;
    expect(
      (await listed(patient)).map(({ value, entered_in_error: error }: { value: number; entered_in_error: unknown }) => [
        value,
        error === null,
      ]),
    ).toEqual([
      [210, false],
      [120, true],
    ]);
    expect((await mark(nurse, reading, { reason: 'It was true.', undone: true })).body.code).toBe('reading_replaced');
    await mark(nurse, right, { reason: 'Neither.' }).expect(200);
    const back = await mark(nurse, reading, { reason: 'It was true.', undone: true }).expect(200);
    expect(back.body.data).toMatchObject({ state: 'danger', entered_in_error: null });
    expect(await listAlerts(patient)).toEqual([['danger_value', 'open']]);
    const where = { organizationId, resource: 'reading', action: 'update', resourceIds: { has: reading } };
    const details = (await prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } })).map(({ detail }) => detail);
    expect(details).toEqual(['entered in error: A slip of the hand.', 'no longer entered in error: It was true.']);
  });

  it('is marked by a provider, an admin, or who recorded it, with a reason', async () => {
    const { id } = await newItem('Diastolic', 'mmHg');
    const patient = await newPatient();
    const reading = (await send(cloud, patient, id, 80, { unit: 'mmHg', ...ofDevice }).expect(201)).body.data.uuid;
    const other = await signedInUser(test, { organizationId, type: 'staff' });
    expect((await mark(other, reading, { reason: 'No.' })).status).toBe(403);
    expect((await mark(provider, reading, { reason: ' ' })).status).toBe(400);
    await mark(cloud, reading, { reason: 'The cuff was on the table.' }).expect(200);
    await mark(provider, reading, { reason: 'It was on the arm.', undone: true }).expect(200);
    expect((await mark(provider, 2_000_000_000, { reason: 'No.' })).status).toBe(404);
  });
});
