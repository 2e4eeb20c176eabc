import { describe, expect, it } from 'vitest';
import { actorWith, clientToken, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createOrganization, createPatient } from '../../../../support/factories.ts';
import { createItem } from '../care.ts';

const DEVICES = '/remote-patient-monitoring/devices';
const READINGS = '/remote-patient-monitoring/readings';

const test = await sharedTestApp();
const rows = test.database.prisma;
const { id: organizationId } = await createOrganization(rows);
const nurse = await signedInUser(test, { organizationId, type: 'staff' });
const gateway = actorWith(test, (await clientToken(test, ['readings.write'], [organizationId])).token, organizationId);
const systolic = (await createItem(rows, { organizationId, name: 'Systolic pressure' })).id;
await createItem(rows, { organizationId, name: 'Weight', unit: 'kg', minTarget: null, maxTarget: null });

const newPatient = (more: object = {}) => createPatient(rows, { organizationId, ...more });
const assign = (patientId: number, serial: string, more: object = {}) =>
  nurse.post(DEVICES).send({ patient_uuid: patientId, serial, ...more });
const measured = (more: object) => ({ loinc: '8480-6', value: 121, unit: 'mmHg', measured_at: new Date().toISOString(), ...more });
const send = (more: object) => gateway.post(READINGS).send(measured(more));

describe('a gateway of devices', () => {
  it('lists the items that can be measured with their codes, and nothing of patients', async () => {
    const { body } = await gateway.get('/remote-patient-monitoring/items').expect(200);
    expect(body.data.map(({ name, loinc }: { name: string; loinc: string }) => [name, loinc])).toEqual([
      ['Systolic pressure', '8480-6'],
      ['Weight', '29463-7'],
    ]);
    await gateway.get('/remote-patient-monitoring/patients').expect(403);
    await gateway.get(DEVICES).expect(403);
    await gateway.post(DEVICES).send({ patient_uuid: 1, serial: 'X' }).expect(403);
  });

  it('sends by the serial number of a device, which is with one patient until it is returned', async () => {
    const [ann, bo] = [(await newPatient()).id, (await newPatient()).id];
    await send({ device: { serial: 'cuff-7' } }).expect(409);
    const { data: cuff } = (await assign(ann, 'CUFF-7', { make: 'Acme', model: 'Two' }).expect(201)).body;
    expect(cuff).toMatchObject({ identifier: 'Acme Two CUFF-7', serial: 'CUFF-7', patient_uuid: ann });
    const { data: reading } = (await send({ device: { serial: 'cuff-7' } }).expect(201)).body;
    expect(reading).toMatchObject({ patient_uuid: ann, item: { uuid: systolic }, device: { uuid: cuff.uuid, serial: 'CUFF-7' } });

    const foreign = await send({ patient_uuid: bo, device: { serial: 'cuff-7' } }).expect(409);
    expect([foreign.body.code, foreign.body.errors[0].pointer]).toEqual(['device_assigned', '/device/serial']);
    expect((await send({ patient_uuid: ann, device: { serial: 'cuff-7' } })).body.data.device).toEqual(reading.device);

    const refused = await assign(bo, 'cuff-7').expect(409);
    expect([refused.body.code, refused.body.errors[0].pointer]).toEqual(['device_assigned', '/serial']);
    expect((await assign(ann, 'CUFF-7', { make: 'Acme', model: 'Two' }).expect(201)).body.data).toEqual(cuff);
    expect((await nurse.get(DEVICES).expect(200)).body.data).toEqual([cuff]);

    await nurse.delete(`${DEVICES}/${cuff.uuid}`).expect(204);
    await nurse.delete(`${DEVICES}/${cuff.uuid}`).expect(404);
    const lost = await send({ device: { serial: 'CUFF-7' } }).expect(409);
    expect([lost.body.code, lost.body.errors[0].pointer]).toEqual(['device_not_assigned', '/device/serial']);
    await assign(bo, 'CUFF-7', { make: 'Acme', model: 'Two' }).expect(201);
    const before = new Date(Date.now() - 60_000).toISOString();
    await send({ device: { serial: 'CUFF-7' }, measured_at: before }).expect(409);
    expect((await send({ device: { serial: 'CUFF-7' } }).expect(201)).body.data.patient_uuid).toBe(bo);
    const where = { organizationId, subjectType: 'monitoring_device', subjectId: cuff.uuid };
    const names = (await rows.event.findMany({ where, orderBy: { id: 'asc' } })).map(({ name }) => name.split('.')[1]);
    expect(names).toEqual(['created', 'assigned', 'returned', 'assigned']);
  });

  it('assigns one of two at once', async () => {
    const patients = await Promise.all([1, 2, 3, 4].map(() => newPatient()));
    const made = await Promise.all(patients.map(({ id }, place) => assign(id, 'SCALE-1', { identifier: `scale ${place}` })));
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  it('sends by medical record number and code, each reading of a batch by its own', async () => {
    const { id } = await newPatient({ medicalRecordNo: 'MRN-7' });
    await assign((await newPatient()).id, 'THERMO-1').expect(201);
    const self = { source: 'self', med_rec_no: 'MRN-7' };
    const weight = measured({ ...self, loinc: '29463-7', value: 154.3, unit: 'lb' });
    const readings = [
      measured(self),
      weight,
      measured({ ...self, med_rec_no: 'MRN-8' }),
      measured({ ...self, loinc: '1-8' }),
      measured({ source: 'self' }),
    ];
    const { data } = (await gateway.post(READINGS).send({ readings }).expect(201)).body;
    expect(data).toMatchObject({ stored: 2, refused: 3 });
    expect(data.results[0].reading.patient_uuid).toBe(id);
    expect(data.results[1].reading).toMatchObject({ patient_uuid: id, value: 69.989, item: { unit: 'kg' } });
    const errors = data.results
      .slice(2)
      .map((one: { errors: { pointer: string; code: string }[] }) => [one.errors[0]?.pointer, one.errors[0]?.code]);
    expect(errors).toEqual([
      ['/med_rec_no', 'not_found'],
      ['/loinc', 'not_found'],
      ['/patient_uuid', 'missing'],
    ]);
  });

  it('finds nobody by the device or the number of a restricted chart', async () => {
    const hidden = await newPatient({ medicalRecordNo: 'MRN-HIDDEN' });
    const { data: device } = (await assign(hidden.id, 'HIDDEN-1').expect(201)).body;
    await rows.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record', reason: 'Member of staff' } });
    expect((await send({ device: { serial: 'HIDDEN-1' } }).expect(409)).body.code).toBe('device_not_assigned');
    await send({ source: 'self', med_rec_no: 'MRN-HIDDEN' }).expect(404);
    await nurse.delete(`${DEVICES}/${device.uuid}`).expect(404);
    expect((await nurse.get(DEVICES).expect(200)).body.data.map(({ uuid }: { uuid: number }) => uuid)).not.toContain(device.uuid);
  });
});
