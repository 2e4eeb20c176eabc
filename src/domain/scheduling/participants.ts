import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { invalid, notFound, WrongFields } from '../errors.ts';

/**
 * Checks the users that are to take part in an appointment.
 * @param current participants so far, who may stay though they are no longer active
 * @returns their ids, each once, ascending
 * @throws Failure not_found for ids that are no user of the organization (the user rows of API clients are none), invalid
 *   where one of them is inactive; names every such entry as `userIds.0`
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
  const wrong = new WrongFields();
  for (const [index, id] of userIds.entries()) {
    const active = known.get(id);
    if (active === undefined) wrong.add(notFound('user', `userIds.${index}`));
    if (active === false && !current.includes(id)) wrong.add(invalid(`userIds.${index}`, 'is a user who is not active', 'inactive_user'));
  }
  wrong.throwIfAny();
  return [...known.keys()].sort((a, b) => a - b);
}
