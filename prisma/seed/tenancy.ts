import type { Db } from '../../src/database/database.ts';
import type { Keyring } from '../../src/database/encryption/keyring.ts';
import { allocateOrganizationId } from '../../src/domain/practices/organizations.ts';
import type { Location, Office, Organization, User, WaitingRoom } from '../../src/generated/prisma/client.ts';
import { applyDemoFile, type DemoFile } from './practice-file.ts';
import { cycle, inOrder } from './random.ts';

/** A provider as the other areas need it. */
export interface Clinician {
  id: number;
  /** Null for one who is no user, and so has no schedule. */
  userId: number | null;
  /** Offices of the provider; the first is the home office. */
  offices: Office[];
}

/** The rows of a practice that all others hang on, each list in the order of its file. */
export interface Tenancy {
  organizationId: number;
  practice: Organization;
  groupIds: number[];
  offices: Office[];
  locations: Location[];
  waitingRooms: WaitingRoom[];
  admin: User;
  staff: User[];
  /** The users behind the two API clients: integration, practice. */
  interfaces: User[];
  clinicians: Clinician[];
}

/** The practice, its groups, departments, rooms and people, as its file has them. */
export async function seedTenancy(tx: Db, file: DemoFile, { now, keyring }: { now: Date; keyring: Keyring }): Promise<Tenancy> {
  const organizationId = await allocateOrganizationId(tx);
  await applyDemoFile(tx, file, { organizationId, keyring });
  await livenUsers(tx, organizationId, now);
  const of = { where: { organizationId }, orderBy: { id: 'asc' as const } };
  const users = await tx.user.findMany(of);
  const offices = await tx.office.findMany(of);
  const interfaces = inOrder(
    await tx.user.createManyAndReturn({ data: ['Integration', 'Practice'].map((name) => clientUser(organizationId, name)) }),
  );
  return {
    organizationId,
    practice: await tx.organization.findUniqueOrThrow({ where: { id: organizationId } }),
    groupIds: (await tx.providerGroup.findMany(of)).map(({ id }) => id),
    offices,
    locations: await tx.location.findMany(of),
    waitingRooms: await tx.waitingRoom.findMany(of),
    admin: cycle(
      users.filter(({ type }) => type === 'admin'),
      0,
    ),
    staff: users.filter(({ type }) => type === 'staff'),
    interfaces,
    clinicians: await findClinicians(tx, organizationId, offices),
  };
}

const clientUser = (organizationId: number, lastName: string) => ({
  organizationId,
  type: 'interface' as const,
  firstName: 'API client',
  lastName,
  receivePushNotices: false,
});

/** Users who work with the server: the first of each role is there now. */
async function livenUsers(tx: Db, organizationId: number, now: Date): Promise<void> {
  await tx.user.updateMany({ where: { organizationId }, data: { termsAccepted: true, lastSeenAt: now } });
  for (const type of ['admin', 'staff', 'provider'] as const) {
    const { id } = await tx.user.findFirstOrThrow({ where: { organizationId, type }, orderBy: { id: 'asc' }, select: { id: true } });
    const texts = type === 'provider' ? { fiveMinuteCheckIn: true, fiveMinuteCheckInType: 'sms' } : {};
    await tx.user.updateMany({ where: { organizationId, id }, data: { chatStatus: 'online', ...texts } });
  }
}

async function findClinicians(tx: Db, organizationId: number, offices: readonly Office[]): Promise<Clinician[]> {
  const rows = await tx.provider.findMany({ where: { organizationId }, include: { offices: true }, orderBy: { id: 'asc' } });
  return rows.map(({ id, userId, homeOfficeId, offices: seen }) => {
    const places = offices.filter((office) => seen.some(({ officeId }) => officeId === office.id));
    return { id, userId, offices: places.toSorted((a, b) => Number(b.id === homeOfficeId) - Number(a.id === homeOfficeId)) };
  });
}
