import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { EventName } from '../../domain/events/catalogue.ts';
import { type ClientKeys, readClientKeys } from '../../domain/identity/clients/client-keys.ts';
import { findClient } from '../../domain/identity/clients/client-list.ts';
import { LONGEST_OVERLAP_HOURS, rotateClientSecret } from '../../domain/identity/clients/client-secrets.ts';
import { changeClientKeys, changeRedirectUris, renameClient } from '../../domain/identity/clients/clients.ts';
import { createGuardedRequests } from '../../gateways/requests/guarded-requests.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { count, text } from '../terminal/options.ts';
import { record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { clientRow, whichClient, withSecret, writeForClient } from './client-output.ts';

export const keyOptions = {
  jwksFile: text(1_000).exactOptional().meta({ placeholder: 'path' }).describe('JSON Web Key Set of the public keys that it signs in with'),
  jwksUri: text(2_000).exactOptional().meta({ placeholder: 'address' }).describe('https address of the key set'),
};

export const redirectOption = () =>
  z
    .array(z.string())
    .default([])
    .meta({ placeholder: 'address', several: true })
    .describe('redirect address of the app’s sign-in; may be repeated');

interface KeyOptions {
  jwksFile?: string;
  jwksUri?: string;
}

/**
 * The keys that the options name; null where they name none.
 * @throws UsageError for an unreadable file
 * @throws Failure for unusable keys
 */
export async function readKeyOptions({ config }: Session, { jwksFile, jwksUri }: KeyOptions): Promise<ClientKeys | null> {
  if (jwksFile === undefined && jwksUri === undefined) return null;
  const { accepts } = createGuardedRequests({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES });
  return readClientKeys({ jwks: jwksFile === undefined ? undefined : await readJson(jwksFile), ...(jwksUri && { jwksUri }) }, accepts);
}

async function readJson(path: string): Promise<unknown> {
  const content = await readFile(path, 'utf8').catch(() => null);
  if (content === null) throw new UsageError(`--jwks-file: ${path} cannot be read.`);
  try {
    return JSON.parse(content);
  } catch {
    throw new UsageError(`--jwks-file: ${path} is not JSON.`);
  }
}

/** `24h`, or a number of hours. */
const overlap = () =>
  z
    .string()
    .regex(/^\d{1,3}h?$/, 'must be hours, such as 24h')
    .transform((input) => Number.parseInt(input, 10))
    .pipe(z.int().max(LONGEST_OVERLAP_HOURS, `must be at most ${LONGEST_OVERLAP_HOURS}h`))
    .default(0)
    .meta({ placeholder: 'hours' })
    .describe('how long the current secret stays valid, such as 24h (default: it ends immediately)');

export function credentialCommands(clients: Command, command: CommandDeclarer['command']): void {
  command(clients, 'rotate-secret', {
    summary: 'Give a client a new secret and show it',
    details:
      'The old secret is refused immediately, or after --overlap; its tokens stay valid until they expire. To end them too, disable the client.',
    options: z.object({
      client: whichClient(),
      overlap: overlap(),
      days: count(1, 730).exactOptional().describe('days for which the new secret is valid; at most those of the practice’s policy'),
    }),
    run: async (session, { client, overlap: overlapHours, days }) => {
      const secret = await writeForClient(session, client, ['api_client.secret_rotated'], (db) =>
        rotateClientSecret(db, client, { overlapHours, days }),
      );
      return withSecret(session.db, await findClient(session.db, client), secret);
    },
  });
  command(clients, 'change', {
    summary: 'Change the name or the sign-in keys of a client, or the redirect addresses of an app',
    details: 'With keys, its secrets end immediately, or after --overlap. New addresses replace all former ones.',
    options: z.object({
      client: whichClient(),
      name: text(200).exactOptional().describe('name of the application'),
      ...keyOptions,
      redirectUri: redirectOption(),
      overlap: overlap(),
    }),
    run: async (session, { client, name, redirectUri, overlap: overlapHours, ...keyFiles }) => {
      const keys = await readKeyOptions(session, keyFiles);
      if (name === undefined && keys === null && redirectUri.length === 0)
        throw new UsageError('Name what to change: --name, --jwks-file, --jwks-uri or --redirect-uri.');
      const events: EventName[] = [
        ...(name === undefined ? [] : ['api_client.renamed' as const]),
        ...(keys === null ? [] : ['api_client.keys_changed' as const]),
        ...(redirectUri.length === 0 ? [] : ['api_client.redirects_changed' as const]),
      ];
      await writeForClient(session, client, events, async (db) => {
        if (name !== undefined) await renameClient(db, client, name);
        if (keys) await changeClientKeys(db, client, keys, overlapHours);
        if (redirectUri.length > 0) await changeRedirectUris(db, client, redirectUri);
      });
      return record(await clientRow(session.db, await findClient(session.db, client)));
    },
  });
}
