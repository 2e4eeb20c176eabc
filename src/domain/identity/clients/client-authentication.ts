import type { Db } from '../../../database/database.ts';
import { checkClientSecret, recordClientUse } from './client-secrets.ts';

export interface AuthenticatedClient {
  id: string;
  scopes: string[];
  organizationIds: number[];
}

/** Null for wrong credentials; "expired" is told only to one who has the secret. */
export type ClientCheck = AuthenticatedClient | 'expired' | null;

/** Ids of clients outside of this pattern are not looked up. */
export const POSSIBLE_CLIENT_ID = /^[\x20-\x7e]{1,255}$/;

/** The active machine client of an id, which nothing proves yet. */
export async function findMachineClient(db: Db, id: string) {
  const client = POSSIBLE_CLIENT_ID.test(id)
    ? await db.apiClient.findUnique({ where: { id }, include: { grants: { select: { organizationId: true } } } })
    : null;
  return client?.active && client.kind === 'machine' ? client : null;
}

/** The client of these credentials. Takes the same time for an unknown id. */
export async function authenticateBySecret(db: Db, id: string, secret: string): Promise<ClientCheck> {
  const client = await findMachineClient(db, id);
  const check = await checkClientSecret(db, client?.id ?? null, secret);
  if (check.kind === 'expired') return 'expired';
  if (check.kind === 'wrong' || !client) return null;
  await recordClientUse(db, client.id, check.id);
  return toAuthenticated(client);
}

type FoundClient = NonNullable<Awaited<ReturnType<typeof findMachineClient>>>;

export const toAuthenticated = ({ id, scopes, grants }: FoundClient): AuthenticatedClient => ({
  id,
  scopes,
  organizationIds: grants.map(({ organizationId }) => organizationId),
});
