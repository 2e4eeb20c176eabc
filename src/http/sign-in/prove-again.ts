import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import { invalid } from '../../domain/errors.ts';
import { accountLabel, accountName, checkPassword } from '../../domain/identity/accounts.ts';
import { issueOwnChallenge, readOwnChallenge, redeemChallenge, requireOwn } from '../../domain/identity/factors/challenges.ts';
import { passkeyRequest } from '../../domain/identity/factors/passkeys.ts';
import { listSecondMethods, requireOwner } from '../../domain/identity/factors/second-factors.ts';
import { type ShownFactor, useFactor } from '../../domain/identity/factors/show-factor.ts';
import { recordStepUp } from '../../domain/identity/factors/step-up.ts';
import { userAccount } from '../../domain/identity/limits/sign-in-limits.ts';
import { requireOwnPassword } from '../../domain/identity/passwords/passwords.ts';
import type { SignInMethod } from '../../domain/identity/sessions/sessions.ts';
import type { IdentityTx, Tx } from '../../domain/tx.ts';
import { unauthenticated } from '../auth/authenticate.ts';
import { type AdmissionDeps, findSite, tellOfRecoveryCode, wrongFactor } from './admit-user.ts';
import { isRefusal, logRefusedSignIn } from './refused-sign-ins.ts';

/** The ways in which a user proves again who they are: a second factor where they have one, else their password. */
export async function stepUpOptions(tx: IdentityTx, keyring: Keyring, request: FastifyRequest) {
  const owner = requireOwner(tx);
  const second = await listSecondMethods(tx.prisma, owner);
  const methods: SignInMethod[] = second.length > 0 ? second : ['pwd'];
  const challenge = await issueOwnChallenge(tx.prisma, keyring, 'step-up', owner);
  const { id } = readOwnChallenge(keyring, 'step-up', { token: challenge, content: z.object({}) });
  const site = findSite(request);
  const passkey = site && methods.includes('hwk') ? await passkeyRequest(tx.prisma, { site, challenge: { id }, owner }) : null;
  return { methods, challenge, passkey: passkey && { ...passkey } };
}

interface Proof {
  password?: string | undefined;
  /** Of stepUpOptions, with a passkey. */
  challenge?: string | undefined;
  shown: ShownFactor;
  request: FastifyRequest;
}

/**
 * Takes the proof of a user who is signed in, for a quarter of an hour.
 * @throws Failure unauthenticated for a wrong one, and for a password of a user who has a second factor; too_many_requests
 */
export async function proveAgain(deps: AdmissionDeps, caller: CallerIdentity, proof: Proof): Promise<void> {
  const hasFactor = (await listSecondMethods(deps.database.prisma, requireOwner(caller))).length > 0;
  try {
    await (hasFactor ? proveByFactor : proveByPassword)(deps, caller, proof);
  } catch (error) {
    const { userId, organizationId } = requireOwner(caller);
    if (isRefusal(error)) logRefusedSignIn(proof.request, { user: userId, organization: organizationId, reason: error.code });
    throw error;
  }
}

async function proveByFactor(deps: AdmissionDeps, caller: CallerIdentity, { challenge: token, shown, request }: Proof): Promise<void> {
  const owner = requireOwner(caller);
  if (Object.values(shown).every((one) => one === undefined))
    throw invalid('code', 'send a code, a recovery code or a passkey, since you have a second factor', 'second_factor_needed');
  const challenge = shown.passkey ? readOwn(deps, caller, token ?? '') : null;
  const method = await deps.factorAttempts.attempt(owner, () =>
    deps.unitOfWork.write(caller, async (tx) => {
      const { journal } = tx;
      const outcome = await useFactor(
        tx.prisma,
        { keyring: deps.keyring, site: findSite(request), challenge: challenge ?? { id: '' } },
        owner,
        shown,
      );
      const detail = outcome.right ? outcome.method : outcome.reason;
      journal.audits.push({
        action: outcome.right ? 'sign_in' : 'sign_in_refused',
        resource: 'user',
        ids: [owner.userId],
        detail: `step-up: ${detail}`,
      });
      if (!outcome.right) return null;
      if (challenge) await redeemChallenge(tx.prisma, challenge);
      await tellOfRecoveryCode(tx, deps.keyring, outcome.method, request);
      await markProved(tx, [outcome.method]);
      return outcome.method;
    }),
  );
  if (method === null) throw wrongFactor();
}

function readOwn({ keyring }: AdmissionDeps, caller: CallerIdentity, token: string) {
  const challenge = readOwnChallenge(keyring, 'step-up', { token, content: z.object({}) });
  requireOwn(challenge, caller);
  return challenge;
}

async function proveByPassword(deps: AdmissionDeps, caller: CallerIdentity, { password, request }: Proof): Promise<void> {
  const { userId } = requireOwner(caller);
  if (password === undefined) throw invalid('password', 'must be given', 'missing');
  await requireOwnPassword(deps.database.prisma, requireOwner(caller));
  const { name } = await accountLabel(deps.database.prisma, requireOwner(caller));
  const check = () => checkPassword(deps.database.prisma, name, password);
  const right = await deps.signInLimits.attempt(userAccount(accountName(name)), request.ip, check, { device: caller.sessionId });
  await deps.unitOfWork.write(caller, async (tx) => {
    tx.journal.audits.push({
      action: right ? 'sign_in' : 'sign_in_refused',
      resource: 'user',
      ids: [userId],
      detail: right ? 'step-up: pwd' : 'step-up: a wrong password',
    });
    if (right) await markProved(tx, ['pwd']);
  });
  if (!right) throw unauthenticated('wrong_password', 'The password is wrong.');
}

async function markProved(tx: Tx, methods: SignInMethod[]): Promise<void> {
  const { sessionId } = tx;
  if (sessionId !== null) await recordStepUp(tx.prisma, { ...tx.practice, sessionId }, methods);
}
