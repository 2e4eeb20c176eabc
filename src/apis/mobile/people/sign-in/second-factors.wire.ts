import { z } from 'zod';
import { NewPasskey, ShownPasskey } from '../../../../domain/identity/factors/passkeys.ts';
import type { SecondFactor } from '../../../../domain/identity/factors/second-factors.ts';
import type { ShownFactor } from '../../../../domain/identity/factors/show-factor.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { id, instant, secret, text } from '../../../../http/wire/wire-types.ts';

const challenge = () => secret(1_500).min(1).describe('The challenge, unchanged; valid for one use within five minutes');
const code = () => secret(20).min(1).describe('Six digits of the authenticator app; each code works once');
const recoveryCode = () => secret(60).min(1).describe('One of the ten recovery codes, with or without its hyphens');

const shownPasskey = () => ShownPasskey.describe('Result of navigator.credentials.get, serialized with toJSON()');

/** The challenge of an answer, which the next request sends back. */
const issued = () => z.string().describe('Challenge to send back once, within five minutes');

/** Options of WebAuthn, which the browser reads. */
const browserOptions = (name: string) => z.record(z.string(), z.unknown()).describe(`${name} of WebAuthn`);

export const SecondFactorSignIn = z
  .object({ challenge: challenge(), code: code().optional(), recovery_code: recoveryCode().optional(), passkey: shownPasskey().optional() })
  .meta({ id: 'SecondFactorSignIn', description: 'Challenge from POST /login, and one of code, recovery_code and passkey' });

export const PasskeySignIn = z.object({ challenge: challenge(), passkey: shownPasskey() }).meta({ id: 'PasskeySignIn' });

export const NoFields = z.object({}).meta({ id: 'NoFields' });

export const PasskeyRequestOptions = z
  .strictObject({
    data: z
      .strictObject({
        challenge: issued(),
        expires_in: z.int().describe('In seconds'),
        options: browserOptions('PublicKeyCredentialRequestOptionsJSON'),
      })
      .describe('Options for showing a passkey'),
  })
  .meta({ id: 'PasskeyRequestOptions' });

export const PasskeyCreationOptions = z
  .strictObject({
    data: z
      .strictObject({
        challenge: issued(),
        expires_in: z.int().describe('In seconds'),
        options: browserOptions('PublicKeyCredentialCreationOptionsJSON'),
      })
      .describe('Options for creating a passkey'),
  })
  .meta({ id: 'PasskeyCreationOptions' });

const Factor = z
  .strictObject({
    uuid: z.int(),
    kind: z.enum(['passkey', 'authenticator_app']),
    name: z.string(),
    created_at: instant(),
    last_used_at: instant().nullable().describe('When it was last used'),
  })
  .meta({ id: 'SecondFactor' });

export const SecondFactorsResponse = z
  .strictObject({
    data: z
      .strictObject({
        required: z.boolean().describe('The practice asks this user for a second factor'),
        factors: z.array(Factor).describe('Passkeys and authenticator app of the user'),
        recovery_codes_left: z.int().describe('Number of unused recovery codes'),
      })
      .describe('Your second factors'),
  })
  .meta({ id: 'SecondFactorsResponse' });

const codes = () => z.array(z.string()).describe('Ten recovery codes, shown only once');

export const AddedFactorResponse = z
  .strictObject({
    data: z
      .strictObject({
        factor: Factor,
        recovery_codes: codes().nullable().describe('Ten recovery codes, shown only once, with the first factor; else null'),
      })
      .describe('The factor that was added'),
  })
  .meta({ id: 'AddedFactorResponse' });

export const RecoveryCodesResponse = z
  .strictObject({ data: z.strictObject({ recovery_codes: codes() }).describe('The new codes') })
  .meta({ id: 'RecoveryCodesResponse' });

export const AuthenticatorKeyResponse = z
  .strictObject({
    data: z
      .strictObject({
        challenge: issued(),
        expires_in: z.int().describe('In seconds'),
        secret: z.string().describe('Key to type into the app: base 32, six digits, 30 seconds, SHA-1'),
        otpauth_uri: z.string().describe('Address to show as a QR code'),
      })
      .describe('The key of the app'),
  })
  .meta({ id: 'AuthenticatorKeyResponse' });

const name = () => text(60).min(1).optional().describe('The user’s name for it; Passkey or Authenticator app by default');

export const AddPasskeyRequest = z
  .object({
    challenge: challenge(),
    name: name(),
    passkey: NewPasskey.describe('Result of navigator.credentials.create, serialized with toJSON()'),
  })
  .meta({ id: 'AddPasskeyRequest' });

export const AddAuthenticatorRequest = z
  .object({ challenge: challenge(), name: name(), code: code() })
  .meta({ id: 'AddAuthenticatorRequest' });

export const FactorParams = z.object({ uuid: id() });

export const StepUpRequest = z
  .object({
    password: secret(1_000).min(1).optional().describe('Password, for a user without a second factor'),
    code: code().optional(),
    recovery_code: recoveryCode().optional(),
    challenge: challenge().optional().describe('Challenge from POST /user/step-up/options, with a passkey'),
    passkey: shownPasskey().optional(),
  })
  .meta({ id: 'StepUpRequest', description: 'One of password, code, recovery_code, and passkey with its challenge' });

export const StepUpOptions = z
  .strictObject({
    data: z
      .strictObject({
        methods: z.array(z.enum(['pwd', 'otp', 'hwk', 'recovery', 'sso'])).describe('Ways to prove who you are; use one of them'),
        challenge: issued(),
        expires_in: z.int().describe('In seconds'),
        passkey: browserOptions('PublicKeyCredentialRequestOptionsJSON')
          .nullable()
          .describe('PublicKeyCredentialRequestOptionsJSON of WebAuthn; null without a passkey'),
      })
      .describe('Ways to prove again who you are'),
  })
  .meta({ id: 'StepUpOptions' });

export const StepUpResponse = z
  .strictObject({ data: z.strictObject({ max_age: z.int().describe('In seconds') }).describe('How long the proof is valid') })
  .meta({ id: 'StepUpResponse' });

export const fromFactor = (factor: SecondFactor): z.input<typeof Factor> => ({
  uuid: factor.id,
  kind: factor.kind,
  name: factor.name,
  created_at: writeInstant(factor.createdAt),
  last_used_at: factor.lastUsedAt && writeInstant(factor.lastUsedAt),
});

export const toShownFactor = (sent: Pick<z.output<typeof SecondFactorSignIn>, 'code' | 'recovery_code' | 'passkey'>): ShownFactor => ({
  code: sent.code,
  recoveryCode: sent.recovery_code,
  passkey: sent.passkey,
});
