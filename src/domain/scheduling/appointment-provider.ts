import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';

/** Ids of the participants after a change, and before it. */
export interface Participation {
  users: readonly number[];
  current: readonly number[];
}

/** The provider that an input names, or an appointment has. */
interface ProviderChoice {
  providerId?: number | null | undefined;
}

/** Whether an input names another provider than the appointment has. */
export const choosesProvider = ({ providerId }: ProviderChoice, before: ProviderChoice | null): boolean =>
  typeof providerId === 'number' && providerId !== before?.providerId;

/**
 * The provider of an appointment: the chosen one. Else it follows the participants as they change: the stored provider stays
 * while their user does, and otherwise it is the first by id of the active providers whose user takes part, or nobody. A
 * stored provider whose user never took part stays until another provider's user joins.
 * @param before the stored appointment; null for a new one
 */
export async function providerFor(
  db: Db,
  { organizationId }: Caller,
  input: ProviderChoice,
  before: ProviderChoice | null,
  { users, current }: Participation,
): Promise<number | null> {
  if (choosesProvider(input, before)) return input.providerId ?? null;
  const stored = input.providerId === null ? null : (before?.providerId ?? null);
  const joined = users.filter((id) => !current.includes(id));
  const left = current.filter((id) => !users.includes(id));
  if (input.providerId !== null && joined.length + left.length === 0) return stored;
  const providers = await db.$queryRaw<{ id: number; userId: number; active: boolean }[]>`
    SELECT id, user_id AS "userId", active FROM provider
     WHERE organization_id = ${organizationId} AND user_id = ANY (${[...users, ...left]}::int[]) ORDER BY id`;
  const takesPart = ({ userId }: { userId: number }) => users.includes(userId);
  const storedUser = providers.find(({ id }) => id === stored)?.userId;
  if (storedUser !== undefined && users.includes(storedUser)) return stored;
  const isUnrelated = storedUser === undefined && !providers.some(({ userId, active }) => active && joined.includes(userId));
  if (stored !== null && isUnrelated) return stored;
  return providers.find((provider) => provider.active && takesPart(provider))?.id ?? null;
}
