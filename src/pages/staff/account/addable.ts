import type { FastifyRequest } from 'fastify';
import type { Db } from '../../../database/database.ts';
import type { Failure } from '../../../domain/errors.ts';
import { accountLabel } from '../../../domain/identity/accounts.ts';
import { passkeyRegistration } from '../../../domain/identity/factors/passkeys.ts';
import type { FactorOwner } from '../../../domain/identity/factors/second-factors.ts';
import { newAuthenticatorKey, readAuthenticatorKey } from '../../../domain/identity/factors/totp.ts';
import { findSite } from '../../../http/sign-in/admit-user.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import type { Addable } from './add-factor-view.ts';

/** The reason for which no factor was added: beside the field of the code where that was wrong, else above the forms. */
export const refusalWords = ({ issues, message }: Failure): Pick<Addable, 'codeError'> & { error?: string } =>
  issues.some(({ field }) => field === 'code')
    ? { codeError: 'This is not the current code of the app. Enter the next one that it shows.' }
    : { error: message };

/** A passkey and an authenticator app for a user to add. @param challenge of an app under way, whose key is shown again */
export async function addableFor(
  { database, keyring }: Pick<StaffPageDeps, 'database' | 'keyring'>,
  { organizationId, userId }: FactorOwner,
  request: FastifyRequest,
  challenge?: string,
): Promise<Pick<Addable, 'passkey' | 'app'>> {
  const db: Db = database.prisma;
  const owner = { organizationId, userId };
  const account = await accountLabel(db, owner);
  const site = findSite(request);
  const app = challenge
    ? { challenge, ...(await readAuthenticatorKey(keyring, owner, { challenge, account: account.name })) }
    : await newAuthenticatorKey(db, keyring, owner, account.name);
  return { passkey: site && (await passkeyRegistration(db, keyring, { owner, site, account })), app };
}
