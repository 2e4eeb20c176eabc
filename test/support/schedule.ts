import type { Db } from '../../src/database/database.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { createAppointmentType, createLocation, createOffice, createPatient } from './factories.ts';

/** One of everything that an appointment can refer to: an office in another zone than the organization’s, a type of 45 minutes. */
export async function appointmentReferences(db: Db, organizationId: number) {
  const office = await createOffice(db, {
    organizationId,
    name: 'North',
    timeZone: 'America/Denver',
    city: 'Boulder',
    phone: '+13035550123',
  });
  const room = await db.waitingRoom.create({ data: { organizationId, officeId: office.id, name: 'Lobby' } });
  const patient = await createPatient(db, {
    organizationId,
    firstName: 'Ann',
    lastName: 'Ames',
    birthDate: new Date('1980-02-29'),
    mobilePhone: '+19105550123',
    email: 'ann@example.com',
    flags: ['fall risk'],
  });
  const [type, location] = [
    await createAppointmentType(db, { organizationId, name: 'Physical', durationMinutes: 45 }),
    await createLocation(db, { organizationId, officeId: office.id, name: 'Room 2' }),
  ];
  return { office, room, patient, type, location };
}

type Row = Partial<Prisma.AppointmentUncheckedCreateInput> & { organizationId: number };

/** An appointment of half an hour in New York, where no clock is changed meanwhile; without a start it has no date. */
export function createAppointment(db: Db, { startsAt, ...row }: Row & { startsAt?: string }, userIds: number[] = []) {
  const start = startsAt === undefined ? null : new Date(startsAt);
  const times = start && {
    startsAt: start,
    endsAt: new Date(start.getTime() + 1_800_000),
    localStart: new Date(start.getTime() - 5 * 3_600_000),
  };
  const users = { createMany: { data: userIds.map((userId) => ({ userId })) } };
  return db.appointment.create({ data: { timeZone: 'America/New_York', durationMinutes: 30, ...times, ...row, users } });
}
