import { conflict } from '../../../../domain/errors.ts';
import { accountLabel } from '../../../../domain/identity/accounts.ts';
import { CHALLENGE_SECONDS } from '../../../../domain/identity/factors/challenges.ts';
import { addPasskey, passkeyRegistration } from '../../../../domain/identity/factors/passkeys.ts';
import { codesWithFirstFactor, replaceRecoveryCodes } from '../../../../domain/identity/factors/recovery-codes.ts';
import {
  countRecoveryCodes,
  deleteSecondFactor,
  hasSecondFactor,
  listSecondFactors,
  requireOwner,
} from '../../../../domain/identity/factors/second-factors.ts';
import { addAuthenticatorApp, newAuthenticatorKey } from '../../../../domain/identity/factors/totp.ts';
import { readSecurityPolicy, requiresSecondFactor } from '../../../../domain/identity/policies/security-policy.ts';
import type { Tx } from '../../../../domain/tx.ts';
import { mailFactorNews } from '../../../../domain/users/factor-mails.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { requireSite } from '../../../../http/sign-in/passkey-sign-in.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import {
  AddAuthenticatorRequest,
  AddedFactorResponse,
  AddPasskeyRequest,
  AuthenticatorKeyResponse,
  FactorParams,
  fromFactor,
  NoFields,
  PasskeyCreationOptions,
  RecoveryCodesResponse,
  SecondFactorsResponse,
} from './second-factors.wire.ts';
import type { SignInDeps } from './sign-in.ts';

const OWN = { tag: 'Authorization', beyondDocument: true, notForApps: true } as const;

/** Whether the practice asks the caller for a second factor. */
async function isRequired(tx: Tx): Promise<boolean> {
  const { role } = tx;
  return role !== null && requiresSecondFactor(await readSecurityPolicy(tx), role);
}

export function secondFactorRoutes(endpoints: Endpoints, { keyring }: SignInDeps): void {
  const { get, post, remove } = endpoints.group(OWN);

  get('/user/second-factors', {
    operationId: 'listSecondFactors',
    summary: 'List your second factors',
    response: SecondFactorsResponse,
    handle: async ({ tx }) => {
      const owner = requireOwner(tx);
      const [factors, left] = await Promise.all([listSecondFactors(tx.prisma, owner), countRecoveryCodes(tx.prisma, owner)]);
      return { data: { required: await isRequired(tx), factors: factors.map(fromFactor), recovery_codes_left: left } };
    },
  });

  post('/user/second-factors/recovery-codes', {
    operationId: 'createRecoveryCodes',
    summary: 'Create ten new recovery codes',
    description: 'Earlier codes stop working. Each works once instead of a second factor.',
    stepUp: true,
    keyed: 'once',
    response: RecoveryCodesResponse,
    status: 201,
    handle: async ({ tx, request }) => {
      const owner = requireOwner(tx);
      if (!(await hasSecondFactor(tx.prisma, owner)))
        throw conflict('no_second_factor', 'Recovery codes need a second factor. Add one first.');
      const codes = await replaceRecoveryCodes(tx, owner);
      await mailFactorNews(tx, { keyring, origin: readOrigin(request) }, owner.userId, 'recovery_codes_made');
      return { data: { recovery_codes: codes } };
    },
  });

  remove('/user/second-factors/:uuid', {
    operationId: 'deleteSecondFactor',
    summary: 'Delete one of your second factors',
    description:
      '409 `last_second_factor` for the last one if the practice requires a second factor. Deleting the last one also deletes the recovery codes.',
    stepUp: true,
    params: FactorParams,
    handle: async ({ tx, params, request }) => {
      await deleteSecondFactor(tx, params.uuid, await isRequired(tx));
      await mailFactorNews(tx, { keyring, origin: readOrigin(request) }, requireOwner(tx).userId, 'factor_deleted');
    },
  });

  passkeyRoutes(endpoints, keyring);
  authenticatorRoutes(endpoints, keyring);
}

function passkeyRoutes(endpoints: Endpoints, keyring: SignInDeps['keyring']): void {
  const { post } = endpoints.group(OWN);
  post('/user/second-factors/passkeys/options', {
    operationId: 'startPasskey',
    summary: 'Start to add a passkey',
    stepUp: true,
    keyed: 'never',
    body: NoFields,
    bodyOptional: true,
    response: PasskeyCreationOptions,
    handle: async ({ tx, request }) => {
      const owner = requireOwner(tx);
      const site = requireSite(request);
      const { challenge, options } = await passkeyRegistration(tx.prisma, keyring, {
        owner,
        site,
        account: await accountLabel(tx.prisma, owner),
      });
      return { data: { challenge, expires_in: CHALLENGE_SECONDS, options: { ...options } } };
    },
  });

  post('/user/second-factors/passkeys', {
    operationId: 'addPasskey',
    summary: 'Add the passkey that the browser created',
    stepUp: true,
    keyed: 'once',
    body: AddPasskeyRequest,
    response: AddedFactorResponse,
    status: 201,
    handle: async ({ tx, body: { challenge, passkey, name = 'Passkey' }, request }) => {
      const factor = await addPasskey(tx, keyring, { site: requireSite(request), challenge, name, passkey });
      await mailFactorNews(tx, { keyring, origin: readOrigin(request) }, requireOwner(tx).userId, 'passkey_added');
      return { data: { factor: fromFactor(factor), recovery_codes: await codesWithFirstFactor(tx, requireOwner(tx)) } };
    },
  });
}

function authenticatorRoutes(endpoints: Endpoints, keyring: SignInDeps['keyring']): void {
  const { post } = endpoints.group(OWN);
  post('/user/second-factors/authenticator-app/options', {
    operationId: 'startAuthenticatorApp',
    summary: 'Start to add an authenticator app',
    description: 'Show its key to the app, as a QR code or text. Nothing is stored until a code confirms it.',
    stepUp: true,
    keyed: 'never',
    body: NoFields,
    bodyOptional: true,
    response: AuthenticatorKeyResponse,
    handle: async ({ tx }) => {
      const owner = requireOwner(tx);
      const { name } = await accountLabel(tx.prisma, owner);
      const { challenge, key, address } = await newAuthenticatorKey(tx.prisma, keyring, owner, name);
      return { data: { challenge, expires_in: CHALLENGE_SECONDS, secret: key, otpauth_uri: address } };
    },
  });

  post('/user/second-factors/authenticator-app', {
    operationId: 'addAuthenticatorApp',
    summary: 'Add the authenticator app that shows this code',
    stepUp: true,
    keyed: 'once',
    body: AddAuthenticatorRequest,
    response: AddedFactorResponse,
    status: 201,
    handle: async ({ tx, body: { challenge, code, name = 'Authenticator app' }, request }) => {
      const factor = await addAuthenticatorApp(tx, keyring, { challenge, name, code });
      await mailFactorNews(tx, { keyring, origin: readOrigin(request) }, requireOwner(tx).userId, 'authenticator_app_added');
      return { data: { factor: fromFactor(factor), recovery_codes: await codesWithFirstFactor(tx, requireOwner(tx)) } };
    },
  });
}
