import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/caller.ts';
import { Failure, forbidden, invalid } from '../../domain/errors.ts';
import { accountName, findAccount } from '../../domain/identity/accounts.ts';
import { findPasswordOwner, requireGoodPassword } from '../../domain/identity/passwords/password-rules.ts';
import { hashPassword, requireOwnPassword } from '../../domain/identity/passwords/passwords.ts';
import type { Tx } from '../../domain/tx.ts';
import { changeOwnPassword, requestPasswordReset } from '../../domain/users/password-resets.ts';
import { findKnownDevice } from '../auth/known-devices.ts';
import { readOrigin } from '../wire/links.ts';
import { callerWithoutUser, checkCredentials, type PasswordDeps } from './sign-in.ts';

export interface PasswordChangeInput {
  currentPassword: string;
  password: string;
}

/**
 * Checks the present password of a user, which counts as a failed sign-in where it is wrong, and the new one.
 * @returns the hash of the new one
 * @throws Failure invalid for the field `currentPassword` or `password`; conflict for a user without a password; too_many_requests
 */
export async function checkPasswordChange(
  deps: PasswordDeps,
  { organizationId, userId, sessionId }: Pick<Caller, 'organizationId' | 'userId' | 'sessionId'>,
  { currentPassword, password }: PasswordChangeInput,
  request: FastifyRequest,
): Promise<string> {
  if (userId === null) throw forbidden('wrong_token', 'Only a person has a password.');
  await requireOwnPassword(deps.database.prisma, { organizationId, userId });
  const owner = await findPasswordOwner(deps.database.prisma, { organizationId, userId });
  await checkCredentials(deps, { email: owner.email, password: currentPassword, sessionId }, request).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'unauthenticated')
      throw invalid('currentPassword', 'is not your current password', 'wrong_password');
    throw error;
  });
  await requireGoodPassword(password, owner);
  return hashPassword(password);
}

/** As changeOwnPassword, with links of this server. @returns the ids of the sessions that ended */
export function storeOwnPassword(
  { keyring }: Pick<PasswordDeps, 'keyring'>,
  tx: Tx,
  passwordHash: string,
  request: FastifyRequest,
): Promise<string[]> {
  const { userId } = tx;
  if (userId === null) throw forbidden('wrong_token', 'Only a person has a password.');
  return changeOwnPassword({ ...tx, userId }, { keyring, origin: readOrigin(request) }, passwordHash);
}

/**
 * Mails the user of an address a link for a new password. Nobody waits for it: the answer and its time are the same for an address
 * that nobody signs in with.
 * @throws Failure too_many_requests for a network address, or a device that the account is known on, that has asked too often
 */
export async function startPasswordReset(deps: PasswordDeps, email: string, request: FastifyRequest): Promise<void> {
  await deps.signInLimits.countResetRequest(request.ip, findKnownDevice(deps.keyring, request, email));
  const send = async () => {
    const user = await findAccount(deps.database.prisma, accountName(email));
    if (!user) return;
    const anonymous = callerWithoutUser(request, user.organizationId, 'anonymous');
    const mail = { keyring: deps.keyring, origin: readOrigin(request) };
    await deps.unitOfWork.write(anonymous, (tx) => requestPasswordReset(tx, mail, user.userId));
  };
  send().catch((err: unknown) => request.log.error({ err }, 'the link for a new password could not be mailed'));
}
