import type { signedInUser } from '../../../support/actors.ts';
import type { TestApp } from '../../../support/app.ts';

export type Person = Awaited<ReturnType<typeof signedInUser>>;

/** The ids of a list, in its order. */
export const uuids = ({ body }: { body: { data: { uuid: number }[] } }): number[] => body.data.map(({ uuid }) => uuid);

/** Which patients the audit says were shown to a user, one entry for each answer. */
export async function shownPatients(
  { database }: TestApp,
  { organizationId, user }: Person,
  action: 'read' | 'search',
): Promise<number[][]> {
  const where = { organizationId, actor: `user:${user.id}`, action };
  const entries = await database.prisma.auditEntry.findMany({ where, orderBy: { id: 'asc' } });
  return entries
    .map(({ resource, resourceIds, patientIds }) => (resource === 'patient' ? resourceIds : patientIds))
    .filter((patients) => patients.length > 0);
}
