import type { Db } from '../../database/database.ts';
import { type Organization, Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { CallerIdentity } from '../caller.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { activeAppointment } from '../values/appointment-status.ts';
import { changesTo } from '../values/changed-fields.ts';
import type { Page, PageRequest } from '../values/paging.ts';
import { dayAt } from '../values/time/time.ts';
import { readTimeZone } from '../values/time/time-zones.ts';

export type { Organization };

/** Fields that an operator may set. Absent means unchanged, null clears. */
export type OrganizationInput = Partial<Omit<Organization, 'id' | 'createdAt' | 'updatedAt'>>;

/** Every practice of this server, by id. Only for operators: practices must not learn of each other. */
export function listOrganizations(db: Db): Promise<Organization[]> {
  return db.organization.findMany({ orderBy: { id: 'asc' } });
}

/** @throws Failure not_found */
export async function findOrganization(db: Db, id: number): Promise<Organization> {
  const organization = await db.organization.findUnique({ where: { id } });
  if (!organization) throw notFound('organization');
  return organization;
}

/** The practices that the caller may see: only their own. */
export async function listVisibleOrganizations(tx: PracticeTx, page: PageRequest): Promise<Page<Organization>> {
  const own = page.page === 1 ? [await findOrganization(tx.prisma, tx.organizationId)] : [];
  return { ...page, items: own, total: 1 };
}

/** @throws Failure not_found, for every practice but the caller's */
export function findOwnOrganization(tx: PracticeTx, id: number): Promise<Organization> {
  if (id !== tx.organizationId) throw notFound('organization');
  return findOrganization(tx.prisma, id);
}

/** Checks an optional organization id in a request. @throws Failure not_found, for every one but the caller's */
export function requireOwnOrganization({ organizationId }: CallerIdentity, id: number | undefined, field: string): void {
  if (id !== undefined && id !== organizationId) throw notFound('organization', field);
}

/** Allocates the id of a practice before it is created, so that its creation is recorded under it. */
export async function allocateOrganizationId(db: Db): Promise<number> {
  const [row] = await db.$queryRaw<{ id: number }[]>`SELECT nextval(pg_get_serial_sequence('organization', 'id'))::int AS id`;
  if (!row) throw new Error('the sequence of organizations gave nothing');
  return row.id;
}

/** Today's date in the time zone of the caller's practice, as midnight UTC. */
export async function todayInPractice(tx: PracticeTx): Promise<Date> {
  const { timeZone } = await tx.prisma.organization.findUniqueOrThrow({ where: { id: tx.organizationId }, select: { timeZone: true } });
  return dayAt(new Date(), timeZone);
}

/** Creates the caller's practice; its id comes from allocateOrganizationId. */
export async function createOrganization(tx: Tx, input: OrganizationInput & { name: string; timeZone: string }): Promise<Organization> {
  const timeZone = requireTimeZone(input.timeZone);
  const organization = await tx.prisma.organization.create({ data: { ...input, timeZone, id: tx.organizationId } });
  recordChange(tx, 'administer', { name: 'organization.created', id: organization.id });
  return organization;
}

/**
 * Changes the given fields that differ.
 * @throws Failure conflict when double booking is to be refused and future appointments overlap already
 */
export async function updateOrganization(tx: Tx, input: OrganizationInput): Promise<Organization> {
  const id = tx.organizationId;
  // Concurrent changes run one after another, so that each compares with the latest values.
  await tx.prisma.$queryRaw`SELECT id FROM organization WHERE id = ${id} FOR NO KEY UPDATE`;
  const before = await findOrganization(tx.prisma, id);
  const changes = changesTo(before, input.timeZone === undefined ? input : { ...input, timeZone: requireTimeZone(input.timeZone) });
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const organization = await tx.prisma.organization.update({ where: { id }, data: changes });
  if (changes.doubleBooking) await applyDoubleBooking(tx.prisma, organization);
  recordChange(tx, 'administer', { name: 'organization.updated', id, changed });
  return organization;
}

/**
 * Applies a new double-booking policy to future appointments: the database enforces it only for rows written under it.
 * Past appointments are unchanged.
 */
async function applyDoubleBooking(db: Db, { id, doubleBooking }: Organization): Promise<void> {
  if (doubleBooking === 'refuse') {
    const [overlaps] = await db.$queryRaw<{ users: number }[]>`
      SELECT count(DISTINCT a.user_id)::int AS users
        FROM user_appointment a
        JOIN user_appointment b ON b.organization_id = a.organization_id AND b.user_id = a.user_id AND b.appointment_id > a.appointment_id
             AND tstzrange(b.starts_at, b.ends_at) && tstzrange(a.starts_at, a.ends_at)
        JOIN appointment x ON x.organization_id = a.organization_id AND x.id = a.appointment_id AND ${Prisma.raw(activeAppointment('x'))}
        JOIN appointment y ON y.organization_id = b.organization_id AND y.id = b.appointment_id AND ${Prisma.raw(activeAppointment('y'))}
       WHERE a.organization_id = ${id} AND a.ends_at > now() AND b.ends_at > now()`;
    const users = overlaps?.users ?? 0;
    if (users > 0) {
      throw conflict(
        'appointments_overlap',
        `Upcoming appointments of ${users} of its users overlap. Move them before you disallow double booking.`,
      );
    }
  }
  // A trigger copies the policy of the practice beside the times.
  await db.$executeRaw`UPDATE user_appointment SET appointment_id = appointment_id WHERE organization_id = ${id} AND (ends_at > now() OR exclusive)`;
}

/** The zone as the IANA database spells it. @throws Failure invalid */
export function requireTimeZone(text: string): string {
  const name = readTimeZone(text);
  if (name === null) throw invalid('time zone', 'must be a zone of the IANA database, such as America/New_York', 'invalid_time_zone');
  return name;
}
