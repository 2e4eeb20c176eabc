import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { invalid } from '../../errors.ts';
import type { SignInMethod } from '../sessions/sessions.ts';
import type { Challenge } from './challenges.ts';
import { type ShownPasskey, usePasskey } from './passkeys.ts';
import { useRecoveryCode } from './recovery-codes.ts';
import type { RelyingParty } from './relying-party.ts';
import type { FactorOwner } from './second-factors.ts';
import { useAuthenticatorCode } from './totp.ts';

/** Exactly one of them is given. */
export interface ShownFactor {
  /** Of the authenticator app. */
  code?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: ShownPasskey | undefined;
}

export type FactorOutcome = { right: true; method: SignInMethod } | { right: false; reason: string };

interface FactorContext {
  keyring: Keyring;
  /** Null where passkeys are not possible. */
  site: RelyingParty | null;
  /** The challenge that a passkey has signed. */
  challenge: Pick<Challenge, 'id'>;
}

/**
 * Takes a second factor that a user shows, and counts its use. Must run in a transaction.
 * @throws Failure invalid where none of them is given, or several
 */
export async function useFactor(db: Db, context: FactorContext, owner: FactorOwner, shown: ShownFactor): Promise<FactorOutcome> {
  const { code, recoveryCode, passkey } = shown;
  if ([code, recoveryCode, passkey].filter((one) => one !== undefined).length !== 1)
    throw invalid('code', 'send either a code, a recovery code or a passkey', 'one_factor');
  if (passkey !== undefined) return showPasskey(db, context, owner, passkey);
  if (recoveryCode !== undefined) return outcome(await useRecoveryCode(db, owner, recoveryCode), 'recovery', 'a wrong recovery code');
  return outcome(await useAuthenticatorCode(db, context.keyring, owner, code ?? ''), 'otp', 'a wrong code');
}

const outcome = (right: boolean, method: SignInMethod, reason: string): FactorOutcome =>
  right ? { right, method } : { right: false, reason };

async function showPasskey(db: Db, { site, challenge }: FactorContext, owner: FactorOwner, passkey: ShownPasskey): Promise<FactorOutcome> {
  const used = site ? await usePasskey(db, owner, { site, challenge, passkey }) : 'wrong';
  return outcome(used === 'right', 'hwk', used === 'copied' ? 'a passkey that was copied' : 'a wrong passkey');
}
