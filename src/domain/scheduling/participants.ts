import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { Failure, type Issue, invalid } from '../errors.ts';

/**
 * The users that are to take part in an appointment, each once, by id. Who has left may stay where they take part already.
 * @throws Failure not_found for who is no user of the organization (rows of API clients are none), invalid for who has
 *   left; each names the entry as `userIds.0`
 */
export async function readParticipants(
  db: Db,
  { organizationId }: Caller,
  userIds: readonly number[],
  standing: readonly number[],
): Promise<number[]> {
  const found = await db.user.findMany({
    where: { organizationId, id: { in: [...new Set(userIds)] }, type: { not: 'interface' } },
    select: { id: true, active: true },
  });
  const known = new Map(found.map(({ id, active }) => [id, active]));
  const entry = (index: number) => `userIds.${index}`;
  const unknown = userIds.flatMap((id, index) => (known.has(id) ? [] : [notAUser(entry(index))]));
  if (unknown.length > 0) throw new Failure('not_found', 'user_not_found', 'There is no such user.', { issues: unknown });
  const left = userIds.findIndex((id) => known.get(id) === false && !standing.includes(id));
  if (left >= 0) throw invalid(entry(left), 'is a user who is not active', 'inactive_user');
  return [...known.keys()].sort((a, b) => a - b);
}

const notAUser = (field: string): Issue => ({ field, code: 'not_found', message: 'There is no such user.' });
