import type { Db } from '../../database/database.ts';
import { cachedByOrganization, type Prepared, preparedIn } from '../../database/statements/statement.ts';
import type { CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { ORGANIZATION_ZONE } from './organization-zone.sql.ts';

const zones = cachedByOrganization(async (prepared, organizationId) => {
  const [organization] = await prepared.rows(ORGANIZATION_ZONE, [organizationId]);
  if (!organization) throw notFound('organization');
  return organization.time_zone;
});

/** IANA time zone of the caller's organization, in which dates without an offset are read. */
export const organizationZone = (prepared: Prepared, { organizationId }: CallerIdentity): Promise<string> =>
  zones(prepared, organizationId);

/** The same within a transaction. */
export const organizationZoneIn = (db: Db, caller: CallerIdentity): Promise<string> => organizationZone(preparedIn(db), caller);
