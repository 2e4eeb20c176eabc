import type { Db } from '../../database/database.ts';
import type { EventName } from '../../domain/events/catalogue.ts';
import { findClient, type ListedClient, recordClientChange } from '../../domain/identity/clients/client-list.ts';
import { ageInDays, clientSecretDays, isOldSecret } from '../../domain/identity/clients/client-secrets.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { text } from '../terminal/options.ts';
import { type CommandResult, type Row, record, SHOWN_ONCE } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

export const whichClient = () => text(200).meta({ positional: true }).describe('client_id of the client');

/** Changes a client; writes these events, each with an audit row, in each practice that it may act for. */
export async function writeForClient<T>(
  session: Session,
  clientId: string,
  names: readonly EventName[],
  write: (db: Db) => Promise<T>,
): Promise<T> {
  const client = await findClient(session.db, clientId);
  const organizationIds = client.grants.map(({ organizationId }) => organizationId);
  return session.writeEach(organizationIds, async (db, callers) => {
    const result = await write(db);
    for (const name of names) recordClientChange(callers, name, client);
    return result;
  });
}

export async function withSecret(db: Db, client: ListedClient, secret: string): Promise<CommandResult> {
  const { client_id = null, ...rest } = await clientRow(db, client);
  return record({ client_id, client_secret: secret, ...rest }, SHOWN_ONCE);
}

/** A client as commands show it: with the age of its newest secret, and whether that should be changed. */
export async function clientRow(db: Db, client: ListedClient): Promise<Row> {
  const organizationIds = client.grants.map(({ organizationId }) => organizationId);
  const [newest] = client.secrets;
  return {
    client_id: client.id,
    name: client.name,
    signs_in_with: client.kind === 'app' ? 'app' : newest && client.jwks === null && client.jwksUri === null ? 'secret' : 'keys',
    scopes: client.scopes,
    practice_ids: organizationIds,
    active: client.active,
    created_at: writeInstant(client.createdAt),
    last_used_at: client.lastUsedAt && writeInstant(client.lastUsedAt),
    secret_age_days: newest ? ageInDays(newest.createdAt) : null,
    secret_expires_at: newest?.expiresAt ? writeInstant(newest.expiresAt) : null,
    secret_is_old: newest ? isOldSecret(newest, await clientSecretDays(db, organizationIds)) : null,
    ...(client.kind === 'app' && { redirect_uris: client.redirectUris }),
    ...(client.jwksUri !== null && { jwks_uri: client.jwksUri }),
  };
}
