import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createProvider } from '../../../support/factories.ts';
import { slotClinic } from './slot-clinic.ts';

const test = await sharedTestApp();

describe('weekly hours', () => {
  it('are set by administrators, and by providers for themselves', async () => {
    const { admin, doctor, own, place, hours, office } = await slotClinic(test);
    const staff = await signedInUser(test, own);
    const other = await createProvider(test.database.prisma, { ...own, firstName: 'Bo', lastName: 'Roe' });
    const wednesday = { weekday: 3, from: '13:00', until: '24:00', starts_on: '2031-01-01', bookable_by: 'staff' };
    const added = await doctor.post('/availability').send({ ...place, ...wednesday });
    expect(added.body.data, added.text).toMatchObject({
      weekday: 3,
      until: '24:00',
      bookable_by: ['staff'],
      appointment_type_ids: [],
      ends_on: null,
    });
    expect((await staff.post('/availability').send({ ...place, ...wednesday })).status).toBe(403);
    expect((await doctor.post('/availability').send({ ...place, ...wednesday, provider_id: other.id })).status).toBe(403);
    expect((await doctor.put(`/availability/${hours}`).send({ provider_id: other.id })).status).toBe(403);
    expect(
      (await doctor.post('/availability/exceptions').send({ office_id: office.id, from: '2031-03-03', until: '2031-03-03' })).status,
    ).toBe(403);
    const changed = await doctor.put(`/availability/${hours}`).send({ from: '10:30', appointment_type_ids: null });
    expect(changed.body.data, changed.text).toMatchObject({ from: '10:30', until: '12:00', weekday: 1 });
    expect((await doctor.delete(`/availability/${hours}`)).status).toBe(204);
    expect((await admin.get('/availability')).body.data.map(({ weekday }: { weekday: number }) => weekday)).toEqual([3]);
  });

  it('name each wrong field', async () => {
    const { admin, place } = await slotClinic(test);
    const wrong = await admin.post('/availability').send({
      ...place,
      office_id: 999_999,
      weekday: 1,
      from: '12:00',
      until: '09:00',
      ends_on: '2031-01-01',
      starts_on: '2031-02-01',
      appointment_type_ids: [999_999],
    });
    const pointers = ({ body }: typeof wrong) => body.errors.map(({ pointer }: { pointer: string }) => pointer).sort();
    expect(pointers(wrong)).toEqual(['/appointment_type_ids/0', '/ends_on', '/office_id', '/until']);
    const bad = await admin.post('/availability').send({ ...place, weekday: 'Funday', from: '25:00', until: '9' });
    expect(pointers(bad)).toEqual(['/from', '/until', '/weekday']);
    const exception = await admin.post('/availability/exceptions').send({ from: '2031-03-03', until: '2031-03-02', available: true });
    expect(pointers(exception)).toEqual(['/office_id', '/provider_id', '/until']);
  });
});
