import { type Prepared, statement } from '../../database/statements/statement.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { dayAt, writeDay } from '../values/time/time.ts';

/** Values: organization. */
const ORGANIZATION_ZONE = statement<{ time_zone: string }>('organization_zone', 'SELECT time_zone FROM organization WHERE id = $1');

/** Milliseconds for which a zone is cached: as long as the state of a token is. Many requests ask for it, and it rarely changes. */
const CACHED_MS = 800;
const MAX_CACHED = 5_000;

/** The zones by organization, where they are read: another database has others. */
const zonesByDatabase = new WeakMap<Prepared, Map<number, { until: number; zone: Promise<string> }>>();

/** IANA time zone of the caller's organization, in which dates without an offset are read. @throws Failure not_found */
export function organizationZone(tx: PracticeTx): Promise<string> {
  const { organizationId } = tx;
  const zones = zonesByDatabase.get(tx.prepared) ?? new Map<number, { until: number; zone: Promise<string> }>();
  zonesByDatabase.set(tx.prepared, zones);
  const cached = zones.get(organizationId);
  if (cached && cached.until > performance.now()) return cached.zone;
  if (zones.size >= MAX_CACHED) zones.clear();
  const zone = readZone(tx);
  zones.set(organizationId, { until: performance.now() + CACHED_MS, zone });
  zone.catch(() => zones.delete(organizationId));
  return zone;
}

async function readZone(tx: PracticeTx): Promise<string> {
  const [organization] = await tx.rows(ORGANIZATION_ZONE);
  if (!organization) throw notFound('organization');
  return organization.time_zone;
}

/** Today in the caller's practice, `2026-11-01`. */
export const todayAt = async (tx: Tx): Promise<string> => writeDay(dayAt(new Date(), await organizationZone(tx)));
