import { readFile } from 'node:fs/promises';
import type { Db } from '../../src/database/database.ts';
import { readLogo } from '../../src/domain/practices/look/logo.ts';
import type { Location, Office, User, WaitingRoom } from '../../src/generated/prisma/client.ts';
import type { PersonPlan, PracticePlan } from './plan.ts';
import { cycle, inOrder, providerIdentifier } from './random.ts';

/** A provider as the other areas need it. */
export interface Clinician {
  id: number;
  /** Null for one who is no user, and so has no schedule. */
  userId: number | null;
  /** Offices of the provider; the first is the home office. */
  offices: Office[];
}

/** The rows of a practice that all others hang on, each list in the order of the plan. */
export interface Tenancy {
  organizationId: number;
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

/** The practice, its groups, departments, rooms and people. */
export async function seedTenancy(tx: Db, plan: PracticePlan, now: Date): Promise<Tenancy> {
  const { id: organizationId } = await tx.organization.create({ data: plan.organization, select: { id: true } });
  await seedLook(tx, organizationId, plan.look);
  const groups = await tx.providerGroup.createManyAndReturn({ data: plan.groups.map((name) => ({ organizationId, name })) });
  const groupIds = inOrder(groups).map(({ id }) => id);
  const offices = await tx.office.createManyAndReturn({
    data: plan.offices.map(({ group, row }) => ({ ...row, organizationId, providerGroupId: cycle(groupIds, group) })),
  });
  const places = inOrder(offices);
  const [admin, staff, doctors, interfaces] = await seedUsers(tx, organizationId, plan, now);
  const clinicians = await seedProviders(tx, organizationId, plan, places, doctors);
  return {
    organizationId,
    groupIds,
    offices: places,
    ...(await seedRooms(tx, organizationId, plan, places, doctors)),
    admin,
    staff,
    interfaces,
    clinicians,
  };
}

async function seedLook(tx: Db, organizationId: number, { colour, logo: file }: PracticePlan['look']): Promise<void> {
  const logo = file === null ? null : await readLogo(await readFile(new URL(`./media/${file}`, import.meta.url)));
  const picture = logo && { logo: new Uint8Array(logo.content), logoHash: logo.hash, logoWidth: logo.width, logoHeight: logo.height };
  await tx.organizationLook.create({ data: { organizationId, colour, ...picture } });
}

async function seedUsers(tx: Db, organizationId: number, plan: PracticePlan, now: Date): Promise<[User, User[], User[], User[]]> {
  const person = (type: 'admin' | 'provider' | 'staff', index: number, { firstName, lastName }: PersonPlan) => ({
    organizationId,
    type,
    firstName,
    lastName,
    // The first of each kind signs in as admin@, provider@ and staff@; the others have no password yet.
    email: index === 0 ? `${type}@${plan.domain}` : `${type}${index + 1}@${plan.domain}`,
    phone: plan.organization.phone ?? null,
    termsAccepted: true,
    chatStatus: index === 0 ? 'online' : 'offline',
    fiveMinuteCheckIn: type === 'provider' && index === 0,
    fiveMinuteCheckInType: type === 'provider' && index === 0 ? 'sms' : null,
    lastSeenAt: now,
  });
  const client = (lastName: string) => ({
    organizationId,
    type: 'interface' as const,
    firstName: 'API client',
    lastName,
    receivePushNotices: false,
  });
  const doctors = plan.providers.filter(({ user }) => user);
  const users = inOrder(
    await tx.user.createManyAndReturn({
      data: [
        person('admin', 0, plan.admin),
        ...plan.staff.map((one, index) => person('staff', index, one)),
        ...doctors.map((one, index) => person('provider', index, one)),
        client('Integration'),
        client('Practice'),
      ],
    }),
  );
  const afterStaff = 1 + plan.staff.length;
  const afterDoctors = afterStaff + doctors.length;
  return [cycle(users, 0), users.slice(1, afterStaff), users.slice(afterStaff, afterDoctors), users.slice(afterDoctors)];
}

async function seedProviders(tx: Db, organizationId: number, plan: PracticePlan, offices: Office[], doctors: User[]): Promise<Clinician[]> {
  const users = doctors.values();
  const made = plan.providers.map((one) => ({
    userId: one.user ? (users.next().value?.id ?? null) : null,
    offices: one.offices.map((position) => cycle(offices, position)),
  }));
  const rows = inOrder(
    await tx.provider.createManyAndReturn({
      data: plan.providers.map(({ firstName, lastName, row }, index) => {
        const { userId, offices: places } = cycle(made, index);
        const providerGroupIds = [...new Set(places.flatMap(({ providerGroupId }) => providerGroupId ?? []))];
        const person = row.entityType !== 'Non-Person';
        return {
          ...row,
          organizationId,
          userId,
          firstName,
          lastName,
          providerGroupIds,
          homeOfficeId: cycle(places, 0).id,
          npi: person ? providerIdentifier(organizationId * 100 + index) : null,
        };
      }),
      select: { id: true },
    }),
  );
  for (const [index, { supervisor }] of plan.providers.entries()) {
    if (supervisor === undefined) continue;
    const where = { organizationId_id: { organizationId, id: cycle(rows, index).id } };
    await tx.provider.update({ where, data: { supervisingProviderId: cycle(rows, supervisor).id }, select: { id: true } });
  }
  const clinicians = rows.map(({ id }, index) => ({ id, ...cycle(made, index) }));
  const places = clinicians.flatMap(({ id, offices: seen }) =>
    seen.map((office) => ({ organizationId, providerId: id, officeId: office.id })),
  );
  await tx.providerOffice.createMany({ data: places });
  return clinicians;
}

async function seedRooms(
  tx: Db,
  organizationId: number,
  plan: PracticePlan,
  offices: Office[],
  doctors: User[],
): Promise<Pick<Tenancy, 'locations' | 'waitingRooms'>> {
  const locations = await tx.location.createManyAndReturn({
    data: plan.locations.map(({ office, name }) => {
      const { id, phone, address1, address2, city, state, zip } = cycle(offices, office);
      return { organizationId, officeId: id, name, phone, address1, address2, city, state, zip };
    }),
  });
  const host = cycle(doctors, 0);
  const waitingRooms = await tx.waitingRoom.createManyAndReturn({
    data: [
      ...plan.waitingRooms.map(({ office, name }) => ({ organizationId, officeId: cycle(offices, office).id, userId: null, name })),
      // A room of one person is in no office.
      { organizationId, officeId: null, userId: host.id, name: `Dr. ${host.lastName}'s Room` },
    ],
  });
  return { locations: inOrder(locations), waitingRooms: inOrder(waitingRooms) };
}
