import { type Prepared, remembering } from '../../database/statement.ts';
import type { CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { ORGANIZATION_ZONE } from './organization-zone.sql.ts';

const zoneOf = remembering(async (prepared, organizationId) => {
  const [organization] = await prepared.rows(ORGANIZATION_ZONE, [organizationId]);
  if (!organization) throw notFound('organization');
  return organization.time_zone;
});

/** The zone of the caller's organization, in which dates without an offset are. */
export const organizationZone = (prepared: Prepared, { organizationId }: CallerIdentity): Promise<string> =>
  zoneOf(prepared, organizationId);
