import { generate } from 'otplib';
import { z } from 'zod';
import type { TestApp } from '../../support/app.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { type Ask, valueAt } from './recorder.ts';

const withOptions = z.object({ data: z.object({ challenge: z.string(), options: z.unknown() }) }).transform(({ data }) => data);

/** A passkey and an authenticator app are added, used, and deleted again. */
export async function secondFactorExamples(
  { address, http }: TestApp,
  ask: Ask,
  signIn: { email: string; password: string },
): Promise<void> {
  const startedApp = await ask('startAuthenticatorApp', { body: {} });
  const code = await generate({ secret: String(valueAt(startedApp, 'data', 'secret')) });
  const app = await ask('addAuthenticatorApp', { body: { challenge: valueAt(startedApp, 'data', 'challenge'), code } });
  const recoveryCode = (at: number) => valueAt(app, 'data', 'recovery_codes', String(at));

  const authenticator = createAuthenticator(address);
  const creating = withOptions.parse(await ask('startPasskey', { body: {} }));
  const created = { challenge: creating.challenge, name: 'Laptop', passkey: authenticator.create(creating.options) };
  const passkey = await ask('addPasskey', { body: created });
  await ask('listSecondFactors');

  const refused = await http.post('/login').send(signIn).expect(401);
  await ask('loginWithSecondFactor', { body: { challenge: refused.body.challenge, recovery_code: recoveryCode(0) } });
  const showing = withOptions.parse(await ask('startPasskeyLogin', { body: {} }));
  await ask('loginWithPasskey', { body: { challenge: showing.challenge, passkey: authenticator.get(showing.options) } });

  await ask('startStepUp', { body: {} });
  await ask('proveStepUp', { body: { recovery_code: recoveryCode(1) } });
  await ask('createRecoveryCodes');
  await ask('deleteSecondFactor', { path: { uuid: valueAt(app, 'data', 'factor', 'uuid') } });
  await ask('deleteSecondFactor', { path: { uuid: valueAt(passkey, 'data', 'factor', 'uuid') } });
}
