import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { Failure } from '../../domain/errors.ts';
import { type AccountHolder, findAccountHolder } from '../../domain/identity/accounts.ts';
import { issueChallenge, readChallenge, redeemChallenge } from '../../domain/identity/factors/challenges.ts';
import { ownerOfPasskey, passkeyRequest, type ShownPasskey, usePasskey } from '../../domain/identity/factors/passkeys.ts';
import type { RelyingParty } from '../../domain/identity/factors/relying-party.ts';
import type { SignInMethod } from '../../domain/identity/sessions/sessions.ts';
import { unauthenticated } from '../auth/authenticate.ts';
import { type AdmissionDeps, findSite } from './admit-user.ts';
import { logRefusedSignIn } from './refused-sign-ins.ts';
import { recordRefusal, toSignedInCaller } from './sign-in.ts';

const nothing = z.object({});

/** The site of passkeys. @throws Failure conflict `passkeys_unavailable` where the server's address cannot have any */
export function requireSite(request: FastifyRequest): RelyingParty {
  const site = findSite(request);
  if (!site)
    throw new Failure(
      'conflict',
      'passkeys_unavailable',
      'Passkeys need a server with a host name and https; this one uses an IP address or http.',
    );
  return site;
}

/** A challenge for any passkey of this site, with the options for the browser. */
export async function passkeySignInOptions({ keyring, database }: AdmissionDeps, request: FastifyRequest) {
  const site = requireSite(request);
  const token = issueChallenge(keyring, 'passkey-sign-in');
  const challenge = readChallenge(keyring, 'passkey-sign-in', { token, content: nothing });
  return { challenge: token, options: await passkeyRequest(database.prisma, { site, challenge }) };
}

const wrongPasskey = () => unauthenticated('wrong_passkey', 'The passkey is unknown, or its signature is wrong.');

/**
 * Signs a user in by a passkey alone, which has verified its user. No count of failed attempts stops it, so that strangers who guess
 * passwords lock nobody out.
 * @throws Failure unauthenticated, which is audited where the user is known
 */
export async function signInByPasskey<T extends object>(
  deps: AdmissionDeps,
  { token, passkey, request }: { token: string; passkey: ShownPasskey; request: FastifyRequest },
  open: (db: Db, user: AccountHolder, methods: SignInMethod[]) => Promise<T>,
): Promise<{ user: AccountHolder; opened: T }> {
  const challenge = readChallenge(deps.keyring, 'passkey-sign-in', { token, content: nothing });
  const site = requireSite(request);
  const owner = ownerOfPasskey(passkey);
  const user = owner && (await findAccountHolder(deps.database.prisma, owner));
  if (!user) {
    logRefusedSignIn(request, { reason: 'wrong_passkey' });
    throw wrongPasskey();
  }
  let reason = 'a wrong passkey';
  const opened = await deps.unitOfWork.write(toSignedInCaller(user, request), async (tx) => {
    const used = await usePasskey(tx.prisma, user, { site, challenge, passkey });
    if (used === 'copied') reason = 'a passkey that was copied';
    if (used !== 'right') return null;
    await redeemChallenge(tx.prisma, challenge);
    tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId], detail: 'hwk' });
    return open(tx.prisma, user, ['hwk']);
  });
  if (opened !== null) return { user, opened };
  await recordRefusal(deps, user, request, { reason: 'wrong_passkey', detail: reason });
  throw wrongPasskey();
}
