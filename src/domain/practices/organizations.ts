import type { Db } from '../../database/database.ts';
import type { Organization } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { changesTo } from '../values/changed-fields.ts';
import type { Page, PageRequest } from '../values/paging.ts';
import { dayAt, readTimeZone } from '../values/time.ts';

export type { Organization };

/** What an operator may set on a practice. A field that is absent stays as it is; null clears it. */
export type OrganizationInput = Partial<Omit<Organization, 'id' | 'createdAt' | 'updatedAt'>>;

/** Every practice of this server, by id. For operators: nobody else may know that there are others. */
export function listOrganizations(db: Db): Promise<Organization[]> {
  return db.organization.findMany({ orderBy: { id: 'asc' } });
}

/** @throws Failure not_found */
export async function findOrganization(db: Db, id: number): Promise<Organization> {
  const organization = await db.organization.findUnique({ where: { id } });
  if (!organization) throw notFound('organization');
  return organization;
}

/** The practices that the caller may see: the one they call for. */
export async function organizationsOf(db: Db, { organizationId }: CallerIdentity, page: PageRequest): Promise<Page<Organization>> {
  const own = page.page === 1 ? [await findOrganization(db, organizationId)] : [];
  return { ...page, items: own, total: 1 };
}

/** @throws Failure not_found, for every practice but the caller's */
export function findOwnOrganization(db: Db, { organizationId }: CallerIdentity, id: number): Promise<Organization> {
  if (id !== organizationId) throw notFound('organization');
  return findOrganization(db, id);
}

/** For an operation that may name an organization. @throws Failure not_found, for every one but the caller's */
export function requireOwn({ organizationId }: CallerIdentity, id: number | undefined, field: string): void {
  if (id !== undefined && id !== organizationId) throw notFound('organization', field);
}

/** Takes the id of a practice before it is made, so that whoever makes it can already act in its name. */
export async function nextOrganizationId(db: Db): Promise<number> {
  const [row] = await db.$queryRaw<{ id: number }[]>`SELECT nextval(pg_get_serial_sequence('organization', 'id'))::int AS id`;
  if (!row) throw new Error('the sequence of organizations gave nothing');
  return row.id;
}

/** The day that it is in the caller's practice, at midnight UTC. */
export async function todayOf(db: Db, { organizationId }: CallerIdentity): Promise<Date> {
  const { timeZone } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { timeZone: true } });
  return dayAt(new Date(), timeZone);
}

/** Makes the practice that the caller acts for; its id comes from nextOrganizationId. */
export async function createOrganization(
  db: Db,
  caller: Caller,
  input: OrganizationInput & { name: string; timeZone: string },
): Promise<Organization> {
  const timeZone = zoneNamed(input.timeZone);
  const organization = await db.organization.create({ data: { ...input, timeZone, id: caller.organizationId } });
  recordChange(caller, 'administer', { name: 'organization.created', subject: 'organization', id: organization.id });
  return organization;
}

/**
 * Changes what is given and differs.
 * @throws Failure conflict when double booking is to be refused and appointments to come overlap already
 */
export async function updateOrganization(db: Db, caller: Caller, input: OrganizationInput): Promise<Organization> {
  const id = caller.organizationId;
  // Two changes at once follow one another, so that each sees what it changes.
  await db.$queryRaw`SELECT id FROM organization WHERE id = ${id} FOR NO KEY UPDATE`;
  const before = await findOrganization(db, id);
  const changes = changesTo(before, input.timeZone === undefined ? input : { ...input, timeZone: zoneNamed(input.timeZone) });
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const organization = await db.organization.update({ where: { id }, data: changes });
  if (changes.doubleBooking) await applyDoubleBooking(db, organization);
  recordChange(caller, 'administer', { name: 'organization.updated', subject: 'organization', id, changed });
  return organization;
}

/**
 * Brings the appointments of a practice under its policy: the database holds it only for those that were stored under it.
 * What is over stays as it was.
 */
async function applyDoubleBooking(db: Db, { id, doubleBooking }: Organization): Promise<void> {
  if (doubleBooking === 'refuse') {
    const [overlaps] = await db.$queryRaw<{ users: number }[]>`
      SELECT count(DISTINCT a.user_id)::int AS users
        FROM user_appointment a
        JOIN user_appointment b ON b.organization_id = a.organization_id AND b.user_id = a.user_id AND b.appointment_id > a.appointment_id
             AND tstzrange(b.starts_at, b.ends_at) && tstzrange(a.starts_at, a.ends_at)
        JOIN appointment x ON x.organization_id = a.organization_id AND x.id = a.appointment_id AND x.status NOT IN ('cancelled', 'no_show')
        JOIN appointment y ON y.organization_id = b.organization_id AND y.id = b.appointment_id AND y.status NOT IN ('cancelled', 'no_show')
       WHERE a.organization_id = ${id} AND a.ends_at > now() AND b.ends_at > now()`;
    const users = overlaps?.users ?? 0;
    if (users > 0) {
      throw conflict(
        'appointments_overlap',
        `Appointments to come of ${users} of its users overlap. Move them first, then refuse double booking.`,
      );
    }
  }
  // A trigger copies the policy of the practice beside the times.
  await db.$executeRaw`UPDATE user_appointment SET appointment_id = appointment_id WHERE organization_id = ${id} AND (ends_at > now() OR exclusive)`;
}

/** The zone as the IANA database spells it. @throws Failure invalid */
export function zoneNamed(text: string): string {
  const name = readTimeZone(text);
  if (name === null) throw invalid('time zone', 'must be a zone of the IANA database, such as America/New_York', 'invalid_time_zone');
  return name;
}
