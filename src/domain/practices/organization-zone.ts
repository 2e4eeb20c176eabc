import type { Db } from '../../database/database.ts';
import { type Prepared, preparedIn, statement } from '../../database/statements/statement.ts';
import type { CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { dayAt, writeDay } from '../values/time/time.ts';

/** Values: organization. */
const ORGANIZATION_ZONE = statement<{ time_zone: string }>('organization_zone', 'SELECT time_zone FROM organization WHERE id = $1');

/** Milliseconds for which a zone is cached: as long as the state of a token is. Many requests ask for it, and it rarely changes. */
const CACHED_MS = 800;
const MAX_CACHED = 5_000;

/** The zones by organization, where they are read: another database has others. */
const zonesByDatabase = new WeakMap<Prepared, Map<number, { until: number; zone: Promise<string> }>>();

/** IANA time zone of the caller's organization, in which dates without an offset are read. @throws Failure not_found */
export function organizationZone(prepared: Prepared, { organizationId }: CallerIdentity): Promise<string> {
  const zones = zonesByDatabase.get(prepared) ?? new Map<number, { until: number; zone: Promise<string> }>();
  zonesByDatabase.set(prepared, zones);
  const cached = zones.get(organizationId);
  if (cached && cached.until > performance.now()) return cached.zone;
  if (zones.size >= MAX_CACHED) zones.clear();
  const zone = readZone(prepared, organizationId);
  zones.set(organizationId, { until: performance.now() + CACHED_MS, zone });
  zone.catch(() => zones.delete(organizationId));
  return zone;
}

async function readZone({ rows }: Prepared, organizationId: number): Promise<string> {
  const [organization] = await rows(ORGANIZATION_ZONE, [organizationId]);
  if (!organization) throw notFound('organization');
  return organization.time_zone;
}

/** Today in the caller's practice, `2026-11-01`. */
export const todayAt = async (prepared: Prepared, caller: CallerIdentity): Promise<string> =>
  writeDay(dayAt(new Date(), await organizationZone(prepared, caller)));

export const organizationZoneIn = (db: Db, caller: CallerIdentity): Promise<string> => organizationZone(preparedIn(db), caller);
