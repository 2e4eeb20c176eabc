import { randomInt, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/argon2';
import type { Db } from '../../src/database/database.ts';
import { listChangeNames } from '../../src/domain/changes/feeds.ts';
import { grantClient } from '../../src/domain/identity/clients/clients.ts';
import { newSecret } from '../../src/domain/identity/secrets.ts';
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
    data: { email, organizationId: user.organizationId, userId: user.id, passwordHash: await cheapHash(password) },
  });
  return { user, email, password };
}

/** An API client of organizations, and its secret. */
export async function createApiClient(
  db: Db,
  { name, scopes, organizationIds }: { name: string; scopes: string[]; organizationIds: number[] },
) {
  const clientSecret = newSecret();
  const { id: clientId } = await db.apiClient.create({
    data: { id: randomUUID(), name, scopes, secrets: { create: { hash: await cheapHash(clientSecret) } } },
  });
  for (const organizationId of organizationIds) await grantClient(db, clientId, organizationId);
  return { clientId, clientSecret, scopes, organizationIds };
}

/** As the server hashes, for a hundredth of the cost. What a hash costs there is tested where the server makes it. */
const cheapHash = (secret: string): Promise<string> => hash(secret, { memoryCost: 8, timeCost: 1, parallelism: 1 });

/** Subscribes a client to all changes of each feed, from the beginning of the log. */
export async function subscribeToChanges(db: Db, client: { organizationId: number; clientId: string }): Promise<void> {
  const from = { lastTransactionId: 0, lastEventId: 0 };
  await db.changeSubscription.createMany({
    data: (['patients', 'appointments', 'providers'] as const).map((feed) => ({
      ...client,
      feed,
      ...from,
      changeNames: listChangeNames(feed),
    })),
  });
}
