import { NONE } from '../../../database/statements/no-id.ts';
import { invalid, notFound, WrongFields } from '../../errors.ts';
import type { BookingFacts } from '../appointment/booking-context.sql.ts';

/** The provider and the participants that an input names, or an appointment has. */
interface ProviderChoice {
  providerId?: number | null | undefined;
}
interface Participation extends ProviderChoice {
  userIds?: readonly number[] | undefined;
}

/** Whether an input names another provider than the appointment has. */
export const choosesProvider = ({ providerId }: ProviderChoice, before: ProviderChoice): boolean =>
  typeof providerId === 'number' && providerId !== before.providerId;

/**
 * The users who take part after a change: those whom the input names; else those of before, whom the user of a provider who is chosen joins.
 * @returns their ids, each once, ascending
 * @throws Failure not_found for ids that are no user of the organization, invalid where one of them is inactive and does not take part
 *   yet; names every such entry as `userIds.0`
 */
export function participantsAfter(input: Participation, before: ProviderChoice, context: BookingFacts): number[] {
  const { participants, users, provider } = context;
  const people = new Map(users.filter(({ type }) => type !== 'interface').map(({ id, active }) => [id, active]));
  if (input.userIds === undefined) {
    const joins = choosesProvider(input, before) ? [provider?.userId ?? NONE] : [];
    return sortIds([...participants, ...joins.filter((id) => people.get(id) === true)]);
  }
  const wrong = new WrongFields();
  for (const [index, id] of input.userIds.entries()) {
    const active = people.get(id);
    if (active === undefined) wrong.add(notFound('user', `userIds.${index}`));
    if (active === false && !participants.includes(id))
      wrong.add(invalid(`userIds.${index}`, 'is a user who is not active', 'inactive_user'));
  }
  wrong.throwIfAny();
  return sortIds(input.userIds);
}

const sortIds = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b);

/**
 * The provider of an appointment: the chosen one. Else it follows the participants as they change: the stored provider stays
 * while their user does, and otherwise it is the first by id of the active providers whose user takes part, or nobody. A
 * stored provider whose user never took part stays until another provider's user joins.
 * @param users who take part after the change
 */
export function providerAfter(
  input: ProviderChoice,
  before: ProviderChoice,
  users: readonly number[],
  { participants, providers }: BookingFacts,
): number | null {
  if (choosesProvider(input, before)) return input.providerId ?? null;
  const stored = input.providerId === null ? null : (before.providerId ?? null);
  const joined = users.filter((id) => !participants.includes(id));
  const hasLeft = participants.some((id) => !users.includes(id));
  if (input.providerId !== null && joined.length === 0 && !hasLeft) return stored;
  const storedUser = providers.find(({ id }) => id === stored)?.userId;
  if (storedUser !== undefined && users.includes(storedUser)) return stored;
  const isUnrelated = storedUser === undefined && !providers.some(({ userId, active }) => active && joined.includes(userId));
  if (stored !== null && isUnrelated) return stored;
  return providers.find(({ userId, active }) => active && users.includes(userId))?.id ?? null;
}
