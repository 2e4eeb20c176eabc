import type { FastifyRequest } from 'fastify';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { CallerIdentity } from '../../domain/caller.ts';
import type { Failure } from '../../domain/errors.ts';
import { type AccountHolder, accountName, checkPassword, findAccount } from '../../domain/identity/accounts.ts';
import { type SignInLimits, userAccount } from '../../domain/identity/limits/sign-in-limits.ts';
import { findDeviceOfToken } from '../../domain/identity/sessions/known-devices.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { reportLockOuts } from '../../domain/users/lock-out-notices.ts';
import { unauthenticated } from '../auth/authenticate.ts';
import { findKnownDevice } from '../auth/known-devices.ts';
import { nameOperation } from '../errors/error-mapping.ts';
import { readOrigin } from '../wire/links.ts';
import { isRefusal, logRefusedSignIn } from './refused-sign-ins.ts';

export interface PasswordDeps {
  database: Database;
  unitOfWork: UnitOfWork;
  signInLimits: SignInLimits;
  keyring: Keyring;
}

interface Shown {
  email: string;
  password: string;
  refreshToken?: string | undefined;
  /** The session of a user who is signed in, which counts as a known device. */
  sessionId?: string | null | undefined;
}

/**
 * The user of an address and a password, for every way to sign in.
 * @throws Failure unauthenticated, which is audited; too_many_requests after too many failures of the account or of the network address
 */
export async function checkCredentials(
  deps: PasswordDeps,
  { email, password, refreshToken, sessionId }: Shown,
  request: FastifyRequest,
): Promise<AccountHolder> {
  const check = () => checkPassword(deps.database.prisma, email, password);
  const device =
    sessionId ??
    findKnownDevice(deps.keyring, request, email) ??
    (refreshToken === undefined ? null : await findDeviceOfToken(deps.database.prisma, refreshToken, email));
  const lockedOut = () => recordLockOut(deps, email, request);
  try {
    const user = await deps.signInLimits.attempt(userAccount(accountName(email)), request.ip, check, { device, lockedOut });
    if (user) return user;
    throw unauthenticated('wrong_credentials', 'The email or the password is wrong.');
  } catch (error) {
    if (isRefusal(error)) reportRefusal(deps, email, error, request);
    throw error;
  }
}

/** Logs a refused password, and audits a wrong one. Not awaited, so that the response time does not reveal whether the account exists. */
function reportRefusal(deps: PasswordDeps, email: string, { kind, code: reason }: Failure, request: FastifyRequest): void {
  const report = async () => {
    const account = await findAccount(deps.database.prisma, email);
    if (account && kind === 'unauthenticated') await recordRefusal(deps, account, request, { reason });
    else logRefusedSignIn(request, { user: account?.userId, organization: account?.organizationId, reason });
  };
  report().catch((err: unknown) => request.log.warn({ err }, 'a refused sign-in is missing in the audit'));
}

/** Writes a refused sign-in to the log and to the audit. @param refusal.detail which part was wrong, for the audit, if not the password */
export async function recordRefusal(
  { unitOfWork }: Pick<PasswordDeps, 'unitOfWork'>,
  user: AccountHolder,
  request: FastifyRequest,
  { reason, detail }: { reason: string; detail?: string },
): Promise<void> {
  logRefusedSignIn(request, { user: user.userId, organization: user.organizationId, reason });
  const anonymous = callerWithoutUser(request, user.organizationId, 'anonymous');
  await unitOfWork.write(anonymous, async ({ journal }) => {
    journal.audits.push({ action: 'sign_in_refused', resource: 'user', ids: [user.userId], ...(detail ? { detail } : {}) });
  });
}

/** Writes that an account was locked to the audit, and tells the administrators where many are. Not awaited, as recordRefusal. */
function recordLockOut({ database, unitOfWork, signInLimits, keyring }: PasswordDeps, email: string, request: FastifyRequest): void {
  const record = async () => {
    const user = await findAccount(database.prisma, email);
    if (!user) return;
    const isTold = await signInLimits.countLockOut(user.organizationId);
    const anonymous = callerWithoutUser(request, user.organizationId, 'anonymous');
    await unitOfWork.write(anonymous, async (tx) => {
      tx.journal.audits.push({ action: 'sign_in_refused', resource: 'user', ids: [user.userId], detail: 'the account was locked' });
      if (isTold) await reportLockOuts(tx, { keyring, origin: readOrigin(request) });
    });
  };
  record().catch((err: unknown) => request.log.warn({ err }, 'a lock-out is missing in the audit'));
}

/**
 * A caller of whom the practice alone is known, or whose authorization is something else than an account.
 * @param actor as events and audit rows name them: `anonymous`, `link:check_in`
 */
export const callerWithoutUser = (request: FastifyRequest, organizationId: number, actor: string): CallerIdentity => ({
  organizationId,
  actor,
  userId: null,
  role: null,
  scopes: new Set(),
  sessionId: null,
  operation: nameOperation(request),
  requestId: request.id,
  address: request.ip,
});

/** The holder of a secret link, as the caller of domain functions. @param kind of link, such as `check_in` */
export const linkCaller = (request: FastifyRequest, organizationId: number, kind: string): CallerIdentity =>
  callerWithoutUser(request, organizationId, `link:${kind}`);

/** A user as the caller of a request. @param sessionId of a session that stands already */
export function toSignedInCaller(
  { organizationId, userId, role }: AccountHolder,
  request: FastifyRequest,
  sessionId: string | null = null,
): CallerIdentity {
  return {
    organizationId,
    userId,
    role,
    actor: `user:${userId}`,
    scopes: new Set(),
    sessionId,
    operation: nameOperation(request),
    requestId: request.id,
    address: request.ip,
  };
}
