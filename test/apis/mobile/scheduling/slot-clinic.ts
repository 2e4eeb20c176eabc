import { expect } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import type { TestApp } from '../../../support/app.ts';
import { createAppointmentType, createOffice, createPatient, createProvider } from '../../../support/factories.ts';

/** A practice of one provider, who works on Mondays from nine to noon in Denver: 2031-03-03 is one. */
export async function slotClinic(test: TestApp, { refuses = false, capacity = 1 }: { refuses?: boolean; capacity?: number } = {}) {
  const { prisma } = test.database;
  const admin = await signedInUser(test, { type: 'admin', organization: { doubleBooking: refuses ? 'refuse' : 'allow' } });
  const own = { organizationId: admin.organizationId };
  const doctor = await signedInUser(test, { ...own, type: 'provider' });
  const office = await createOffice(prisma, { ...own, name: 'North', timeZone: 'America/Denver' });
  const provider = await createProvider(prisma, { ...own, firstName: 'Ada', lastName: 'Doe', userId: doctor.user.id });
  const type = await createAppointmentType(prisma, { ...own, name: 'Visit', durationMinutes: 60, capacity });
  const place = { provider_id: provider.id, office_id: office.id };
  const hours = await admin.post('/availability').send({ ...place, weekday: 'Monday', from: '09:00', until: '12:00' });
  expect(hours.status, hours.text).toBe(201);
  const patient = async () => (await createPatient(prisma, { ...own, lastName: 'Ames' })).id;
  const free = async (query = '') => {
    const answer = await admin.get(`/slots?type=${type.id}&from=2031-03-03&until=2031-03-09${query}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.map((slot: { uuid: number; starts_at_local: string }) => [slot.uuid, slot.starts_at_local.slice(11, 16)]);
  };
  return { admin, doctor, own, office, provider, type, place, patient, free, hours: hours.body.data.uuid };
}
