import { randomInt, randomUUID } from 'node:crypto';
import type { Db } from '../../src/database.ts';
import { hashSecret } from '../../src/domain/identity/secrets.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';

/** Rows for tests. Each makes the parents that it misses; whatever matters to the test is given. */

export function createOrganization(db: Db, data: Partial<Prisma.OrganizationUncheckedCreateInput> = {}) {
  return db.organization.create({ data: { name: `Practice ${randomUUID().slice(0, 8)}`, timeZone: 'America/New_York', ...data } });
}

type InOrganization<T> = Partial<Omit<T, 'organizationId'>> & { organizationId: number };

export function createOffice(db: Db, data: InOrganization<Prisma.OfficeUncheckedCreateInput>) {
  return db.office.create({ data: { name: 'Main office', timeZone: 'America/New_York', ...data } });
}

export function createLocation(db: Db, data: InOrganization<Prisma.LocationUncheckedCreateInput>) {
  return db.location.create({ data: { name: 'Room 1', ...data } });
}

export function createProvider(db: Db, data: InOrganization<Prisma.ProviderUncheckedCreateInput>) {
  return db.provider.create({ data: { firstName: 'Ada', lastName: 'Quinn', ...data } });
}

export function createPatient(db: Db, data: InOrganization<Prisma.PatientUncheckedCreateInput>) {
  return db.patient.create({ data: { firstName: 'Pat', lastName: `Example${randomInt(1_000_000)}`, ...data } });
}

export function createAppointmentType(db: Db, data: InOrganization<Prisma.AppointmentTypeUncheckedCreateInput>) {
  return db.appointmentType.create({ data: { name: 'Visit', ...data } });
}

/** A user who can sign in, and with what. */
export async function createUser(db: Db, data: InOrganization<Prisma.UserUncheckedCreateInput>, password = 'correct horse battery') {
  const user = await db.user.create({ data: { type: 'staff', firstName: 'Una', lastName: 'User', ...data } });
  const email = user.email ?? `user-${randomUUID()}@example.com`;
  await db.signIn.create({
    data: { email, organizationId: user.organizationId, userId: user.id, passwordHash: await hashSecret(password) },
  });
  return { user, email, password };
}
