import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { Failure, type Issue, invalid } from '../errors.ts';

/**
 * Checks the users that are to take part in an appointment.
 * @param current participants so far, who may stay though they are no longer active
 * @returns their ids, each once, ascending
 * @throws Failure not_found for ids that are no user of the organization (the user rows of API clients are none), invalid
 *   for an inactive user; each names the entry as `userIds.0`
 */
export async function readParticipants(
  db: Db,
  { organizationId }: Caller,
  userIds: readonly number[],
  current: readonly number[],
): Promise<number[]> {
  const found = await db.user.findMany({
    where: { organizationId, id: { in: [...new Set(userIds)] }, type: { not: 'interface' } },
    select: { id: true, active: true },
  });
  const known = new Map(found.map(({ id, active }) => [id, active]));
  const entry = (index: number) => `userIds.${index}`;
  const unknown = userIds.flatMap((id, index) => (known.has(id) ? [] : [unknownUser(entry(index))]));
  if (unknown.length > 0) throw new Failure('not_found', 'user_not_found', 'There is no such user.', { issues: unknown });
  const inactive = userIds.findIndex((id) => known.get(id) === false && !current.includes(id));
  if (inactive >= 0) throw invalid(entry(inactive), 'is a user who is not active', 'inactive_user');
  return [...known.keys()].sort((a, b) => a - b);
}

const unknownUser = (field: string): Issue => ({ field, code: 'not_found', message: 'There is no such user.' });
