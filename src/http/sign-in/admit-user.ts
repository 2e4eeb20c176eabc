import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { Failure } from '../../domain/errors.ts';
import { type AccountHolder, findAccountHolder } from '../../domain/identity/accounts.ts';
import {
  CHALLENGE_SECONDS,
  type Challenge,
  type ChallengePurpose,
  issueOwnChallenge,
  readOwnChallenge,
  redeemChallenge,
  requireSameEpoch,
} from '../../domain/identity/factors/challenges.ts';
import type { FactorAttempts } from '../../domain/identity/factors/factor-attempts.ts';
import { passkeyRequest } from '../../domain/identity/factors/passkeys.ts';
import { findRelyingParty, type RelyingParty } from '../../domain/identity/factors/relying-party.ts';
import { listSecondMethods } from '../../domain/identity/factors/second-factors.ts';
import { type ShownFactor, useFactor } from '../../domain/identity/factors/show-factor.ts';
import { requireAllowedMethod } from '../../domain/identity/policies/password-sign-in.ts';
import { readSecurityPolicy, requiresSecondFactor } from '../../domain/identity/policies/security-policy.ts';
import type { SignInMethod } from '../../domain/identity/sessions/sessions.ts';
import { inPractice, type Tx } from '../../domain/tx.ts';
import { mailFactorNews } from '../../domain/users/factor-mails.ts';
import { unauthenticated } from '../auth/authenticate.ts';
import { readOrigin } from '../wire/links.ts';
import { isRefusal, logRefusedSignIn } from './refused-sign-ins.ts';
import { type PasswordDeps, recordRefusal, toSignedInCaller } from './sign-in.ts';

export interface AdmissionDeps extends PasswordDeps {
  keyring: Keyring;
  factorAttempts: FactorAttempts;
}

/** A user who has shown one factor, and how. */
export interface Identified {
  user: AccountHolder;
  methods: readonly SignInMethod[];
}

type PasskeyOptions = Awaited<ReturnType<typeof passkeyRequest>>;

/** The step that a sign-in needs before its session is opened. */
export type Admission =
  | { kind: 'admitted' }
  | { kind: 'second_factor'; challenge: string; methods: SignInMethod[]; passkey: PasskeyOptions | null }
  | { kind: 'enrolment'; challenge: string };

/** The site to which passkeys are bound; null where they are not possible. */
export const findSite = (request: FastifyRequest): RelyingParty | null => findRelyingParty(readOrigin(request));

const identified = z.object({ methods: z.array(z.enum(['pwd', 'otp', 'hwk', 'recovery', 'sso'])) });

/**
 * Says whether a user who has shown one factor may have a session, by their factors and the practice's policy. Every way to sign in
 * passes here. Single sign-on and a passkey, which verifies its user, count as both factors.
 */
export async function decideAdmission(deps: AdmissionDeps, { user, methods }: Identified, request: FastifyRequest): Promise<Admission> {
  if (methods.some((method) => method !== 'pwd')) return { kind: 'admitted' };
  const db = deps.database.prisma;
  const { organizationId, role } = user;
  const [second, policy] = await Promise.all([listSecondMethods(db, user), readSecurityPolicy(inPractice(db, organizationId))]);
  requireAllowedMethod(policy, organizationId, methods);
  const issue = (purpose: 'second-factor' | 'second-factor-enrolment') =>
    issueOwnChallenge(db, deps.keyring, purpose, user, { methods: [...methods] });
  if (second.length > 0) {
    const challenge = await issue('second-factor');
    return { kind: 'second_factor', challenge, methods: second, passkey: await passkeyOptions(db, deps.keyring, request, challenge) };
  }
  if (!requiresSecondFactor(policy, role)) return { kind: 'admitted' };
  return { kind: 'enrolment', challenge: await issue('second-factor-enrolment') };
}

/** The options for a passkey that answers a challenge; null where the user has none, or passkeys are not possible. */
async function passkeyOptions(db: Db, keyring: Keyring, request: FastifyRequest, token: string): Promise<PasskeyOptions | null> {
  const site = findSite(request);
  const challenge = readOwnChallenge(keyring, 'second-factor', { token, content: identified });
  const { organizationId, userId } = challenge.account;
  const options = site && (await passkeyRequest(db, { site, challenge, owner: { organizationId, userId } }));
  return options?.allowCredentials?.length ? options : null;
}

/**
 * As decideAdmission, for apps.
 * @throws Failure unauthenticated `second_factor_required` with the challenge, or `second_factor_enrolment_required` with the address
 *   of the page where the user adds a factor
 */
export async function admitUser(deps: AdmissionDeps, { request, ...user }: Identified & { request: FastifyRequest }): Promise<void> {
  const admission = await decideAdmission(deps, user, request);
  if (admission.kind === 'second_factor') {
    const { challenge, methods, passkey } = admission;
    throw new Failure('unauthenticated', 'second_factor_required', 'A second factor is required: POST /login/second-factor.', {
      extensions: { challenge, methods, passkey, expires_in: CHALLENGE_SECONDS },
    });
  }
  if (admission.kind === 'enrolment') {
    throw new Failure(
      'unauthenticated',
      'second_factor_enrolment_required',
      'The practice requires a second factor. Add one on its page.',
      {
        extensions: { enrolment_url: `${readOrigin(request)}/sign-in` },
      },
    );
  }
}

/** A user who answers a challenge of a sign-in. @throws Failure unauthenticated for an invalid challenge, and for one who left */
export async function readIdentified(
  deps: Pick<AdmissionDeps, 'keyring' | 'database'>,
  purpose: Extract<ChallengePurpose, 'second-factor' | 'second-factor-enrolment'>,
  token: string,
): Promise<Identified & { challenge: Challenge }> {
  const { content, ...challenge } = readOwnChallenge(deps.keyring, purpose, { token, content: identified });
  const user = await findAccountHolder(deps.database.prisma, challenge.account);
  if (!user) throw wrongFactor();
  return { user, methods: content.methods, challenge };
}

export const wrongFactor = () => unauthenticated('wrong_second_factor', 'The second factor is wrong or was already used.');

/**
 * Takes the second factor of a sign-in, and opens its session in the same transaction.
 * @param open opens the session with the methods that were shown
 * @throws Failure unauthenticated, which is audited; too_many_requests after too many wrong codes
 */
export async function completeSignIn<T extends object>(
  deps: AdmissionDeps,
  { token, shown, request }: { token: string; shown: ShownFactor; request: FastifyRequest },
  open: (db: Db, user: AccountHolder, methods: SignInMethod[]) => Promise<T>,
): Promise<{ user: AccountHolder; opened: T }> {
  const { user, methods, challenge } = await readIdentified(deps, 'second-factor', token);
  let reason = '';
  const take = () =>
    deps.unitOfWork.write(toSignedInCaller(user, request), async (tx) => {
      await requireSameEpoch(tx.prisma, challenge);
      const outcome = await useFactor(tx.prisma, { keyring: deps.keyring, site: findSite(request), challenge }, user, shown);
      if (!outcome.right) {
        reason = outcome.reason;
        return null;
      }
      await redeemChallenge(tx.prisma, challenge);
      await tellOfRecoveryCode(tx, deps.keyring, outcome.method, request);
      tx.journal.audits.push({
        action: 'sign_in',
        resource: 'user',
        ids: [user.userId],
        detail: [...methods, outcome.method].join(' '),
      });
      return open(tx.prisma, user, [...methods, outcome.method]);
    });
  const opened = await deps.factorAttempts.attempt(user, take).catch(async (error: unknown) => {
    await reportRefusedStep(deps, user, error, request);
    throw error;
  });
  if (opened !== null) return { user, opened };
  await recordRefusal(deps, user, request, { reason: 'wrong_second_factor', detail: reason });
  throw wrongFactor();
}

/** Writes a refused step of a sign-in to the log; to the audit too where it answered a challenge that was used, or is void. */
export async function reportRefusedStep(
  deps: Pick<AdmissionDeps, 'unitOfWork'>,
  user: AccountHolder,
  error: unknown,
  request: FastifyRequest,
): Promise<void> {
  if (!isRefusal(error)) return;
  const { code: reason } = error;
  if (reason === 'invalid_challenge') await recordRefusal(deps, user, request, { reason, detail: 'a step that is void or was done' });
  else logRefusedSignIn(request, { user: user.userId, organization: user.organizationId, reason });
}

/** Tells the calling user by mail that one of their recovery codes was used; of other methods nothing. */
export async function tellOfRecoveryCode(tx: Tx, keyring: Keyring, method: SignInMethod, request: FastifyRequest): Promise<void> {
  if (method !== 'recovery' || tx.userId === null) return;
  await mailFactorNews(tx, { keyring, origin: readOrigin(request) }, tx.userId, 'recovery_code_used');
}
