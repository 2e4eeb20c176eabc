import { expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { createItem } from '../care.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
const own = await signedInUser(test, { organization: { timeZone: 'America/New_York' } });
const { organizationId } = own;
const systolic = (await createItem(rows(), { organizationId })).id;
const weight = (await createItem(rows(), { organizationId, name: 'Weight', unit: 'lb', minTarget: null, maxTarget: null })).id;
const { id: deviceId } = await rows().monitoringDevice.create({ data: { organizationId, identifier: 'cuff' } });

type Measured = [at: string, value: number, more?: { itemId?: number; source?: string }];

async function patientWith(...measured: Measured[]): Promise<number> {
  const { id: patientId } = await createPatient(rows(), { organizationId });
  await rows().reading.createMany({
    data: measured.map(([at, value, { itemId = systolic, source = 'device' } = {}]) => ({
      organizationId,
      patientId,
      itemId,
      value,
      source,
      deviceId: source === 'device' ? deviceId : null,
      measuredAt: new Date(at),
      measuredOn: new Date(at),
    })),
  });
  return patientId;
}

const list = async (patient: number, query = '') =>
  (await own.get(`/remote-patient-monitoring/patients/${patient}/readings${query}`).expect(200)).body;
const values = async (patient: number, query: string) => (await list(patient, query)).data.map(({ value }: { value: number }) => value);

it('the readings of a patient are listed by item, source, dates of the practice’s clocks, order and page', async () => {
  const patient = await patientWith(
    ['2027-03-01T04:59:59Z', 100],
    ['2027-03-01T05:00:00Z', 110],
    ['2027-03-02T04:59:59Z', 120, { source: 'self' }],
    ['2027-03-02T05:00:00Z', 150, { source: 'staff' }],
    ['2027-03-02T12:00:00Z', 180.5, { itemId: weight }],
  );
  expect(await values(patient, '')).toEqual([180.5, 150, 120, 110, 100]);
  expect(await values(patient, '?order=ASC')).toEqual([100, 110, 120, 150, 180.5]);
  expect(await values(patient, '?sort=title')).toEqual([100, 110, 120, 150, 180.5]);
  expect(await values(patient, `?item_uuid=${weight}`)).toEqual([180.5]);
  expect(await values(patient, `?item_uuid=${weight}&item_uuid=${systolic}&limit=2&page=2`)).toEqual([120, 110]);
  expect(await values(patient, '?start_date=2027-03-01&end_date=2027-03-01')).toEqual([120, 110]);
  expect(await values(patient, '?start_date=2027-03-02T00:00:00-05:00')).toEqual([180.5, 150]);
  expect(await values(patient, '?source=self')).toEqual([120]);
  expect((await list(patient)).data.map(({ state, source }: { state: string; source: string }) => [state, source])).toEqual([
    [null, 'device'],
    ['watch', 'staff'],
    ['within', 'self'],
    ['within', 'device'],
    ['within', 'device'],
  ]);
  const { meta, links } = await list(patient, '?limit=2&source=device');
  expect([meta.total, links.next]).toEqual([3, expect.stringContaining('source=device')]);
  const audit = await rows().auditEntry.findFirst({ where: { organizationId, resource: 'reading' }, orderBy: { id: 'desc' } });
  expect(audit).toMatchObject({ action: 'search', patientIds: [patient], actor: `user:${own.user.id}` });
  expect((await own.get(`/remote-patient-monitoring/patients/${patient}/readings?start_date=2027-03-02&end_date=2027-03-01`)).status).toBe(
    400,
  );
  expect((await own.get('/remote-patient-monitoring/patients/2000000000/readings')).status).toBe(404);
});

it('they are summarized by item and period of the practice’s clocks, each with how many were out of the target of their time', async () => {
  const patient = await patientWith(
    ['2027-03-14T06:59:59Z', 130],
    ['2027-03-14T07:00:00Z', 150],
    ['2027-03-15T03:59:59Z', 141.5],
    ['2027-03-15T04:00:00Z', 120],
    ['2027-03-14T12:00:00Z', 181, { itemId: weight }],
  );
  // From the afternoon on a stricter target applies.
  await rows().trackedCondition.create({
    data: { organizationId, patientId: patient, icdCode: 'I10', createdAt: new Date('2027-03-15T04:00:00Z') },
  });
  const condition = await rows().trackedCondition.findFirstOrThrow({ where: { organizationId, patientId: patient } });
  await rows().trackedConditionItem.create({
    data: { organizationId, trackedConditionId: condition.id, itemId: systolic, maxTarget: 115 },
  });
  const { data, meta } = await list(patient, '?bucket=day');
  expect(meta.total).toBe(3);
  const pressure = { uuid: systolic, name: 'Systolic', unit: 'mmHg' };
  expect(data).toEqual([
    {
      kind: 'bucket',
      item: pressure,
      from: '2027-03-15T04:00:00Z',
      to: '2027-03-16T04:00:00Z',
      from_local: '2027-03-15T00:00:00',
      count: 1,
      min: 120,
      max: 120,
      average: 120,
      last: 120,
      out_of_target: 1,
    },
    {
      kind: 'bucket',
      item: { uuid: weight, name: 'Weight', unit: 'lb' },
      from: '2027-03-14T05:00:00Z',
      to: '2027-03-15T04:00:00Z',
      from_local: '2027-03-14T00:00:00',
      count: 1,
      min: 181,
      max: 181,
      average: 181,
      last: 181,
      out_of_target: 0,
    },
    {
      kind: 'bucket',
      item: pressure,
      from: '2027-03-14T05:00:00Z',
      to: '2027-03-15T04:00:00Z',
      from_local: '2027-03-14T00:00:00',
      count: 3,
      min: 130,
      max: 150,
      average: 140.5,
      last: 141.5,
      out_of_target: 2,
    },
  ]);
  const [week] = (await list(patient, `?bucket=week&item_uuid=${systolic}&order=ASC`)).data;
  expect(week).toMatchObject({ from_local: '2027-03-08T00:00:00', count: 3 });
  expect((await list(patient, '?bucket=month&sort=title')).data).toMatchObject([
    { item: pressure, count: 4 },
    { item: { name: 'Weight' } },
  ]);
  expect((await list(patient, '?bucket=day&limit=1&page=9')).meta).toMatchObject({ total: 3, from: null });
});

it('an hour that the clocks show twice is two periods', async () => {
  const patient = await patientWith(['2027-11-07T05:30:00Z', 1], ['2027-11-07T06:30:00Z', 2], ['2027-11-07T07:30:00Z', 3]);
  const hours = (await list(patient, '?bucket=hour&order=ASC')).data;
  expect(hours.map(({ from, to, from_local, last }: Record<string, unknown>) => [from, to, from_local, last])).toEqual([
    ['2027-11-07T05:00:00Z', '2027-11-07T06:00:00Z', '2027-11-07T01:00:00', 1],
    ['2027-11-07T06:00:00Z', '2027-11-07T07:00:00Z', '2027-11-07T01:00:00', 2],
    ['2027-11-07T07:00:00Z', '2027-11-07T08:00:00Z', '2027-11-07T02:00:00', 3],
  ]);
  expect((await list(patient, '?bucket=day')).data).toMatchObject([{ from: '2027-11-07T04:00:00Z', to: '2027-11-08T05:00:00Z', count: 3 }]);
});
