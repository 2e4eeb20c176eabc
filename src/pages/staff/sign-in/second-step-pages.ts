import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict, type Failure, invalid } from '../../../domain/errors.ts';
import { readOwnChallenge, redeemChallenge } from '../../../domain/identity/factors/challenges.ts';
import { addPasskey, NewPasskey, passkeyRequest, ShownPasskey } from '../../../domain/identity/factors/passkeys.ts';
import { codesWithFirstFactor } from '../../../domain/identity/factors/recovery-codes.ts';
import { hasSecondFactor, listSecondMethods } from '../../../domain/identity/factors/second-factors.ts';
import { addAuthenticatorApp } from '../../../domain/identity/factors/totp.ts';
import type { Tx } from '../../../domain/tx.ts';
import { mailFactorNews } from '../../../domain/users/factor-mails.ts';
import { toFailure, toStatus } from '../../../http/errors/error-mapping.ts';
import { readInput } from '../../../http/input/input.ts';
import { completeSignIn, findSite, readIdentified, reportRefusedStep } from '../../../http/sign-in/admit-user.ts';
import { requireSite, signInByPasskey } from '../../../http/sign-in/passkey-sign-in.ts';
import { toSignedInCaller } from '../../../http/sign-in/sign-in.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { secret, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { refusalWords } from '../account/addable.ts';
import { enrolledPage, enrolmentPage } from './enrolment.ts';
import { keepSession, pageSessionOpener } from './finish.ts';
import { pageAfterSignIn } from './return-address.ts';
import { type RefusedFactor, secondStepPage, typedField } from './second-step-view.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';
import { signInPage } from './view.ts';

const to = z.string().optional().catch(undefined);
const optionalSecret = (longest: number) => secret(longest).optional();
const token = () => secret(1_500).default('');

/** A passkey that the script has put into a field as JSON. */
export const inField = <T extends z.ZodType>(shape: T) =>
  z.preprocess((sent) => {
    if (typeof sent !== 'string' || sent === '') return undefined;
    try {
      return JSON.parse(sent);
    } catch {
      return null;
    }
  }, shape.optional());

const SecondStepForm = z.object({
  challenge: token(),
  code: optionalSecret(20),
  recovery_code: optionalSecret(60),
  passkey: inField(ShownPasskey),
  to,
});
const PasskeyForm = z.object({ challenge: token(), passkey: inField(ShownPasskey), to });
const EnrolmentForm = z.object({
  token: token(),
  challenge: token(),
  code: optionalSecret(20),
  name: text(60).optional(),
  passkey: inField(NewPasskey),
  to,
});

/** A failure that the form says; others are thrown. */
export function failureOfForm(error: unknown, reply: FastifyReply): Failure {
  const failure = toFailure(error);
  if (!['unauthenticated', 'too_many_requests', 'invalid', 'conflict'].includes(failure.kind)) throw error;
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  reply.code(toStatus(failure));
  return failure;
}

/** The steps of signing in on pages beside the password: the second factor, a passkey alone, and adding a first factor. */
export function secondStepPages(app: FastifyInstance, deps: StaffPageDeps): void {
  const spend = (request: FastifyRequest, reply: FastifyReply) => deps.limits.spend('sign-in', request, reply);

  app.post('/sign-in/second-factor', async (request, reply) => {
    await spend(request, reply);
    const form = readInput(SecondStepForm, request.body ?? {});
    const shown = { code: form.code, recoveryCode: form.recovery_code, passkey: form.passkey };
    try {
      const { opened } = await completeSignIn(deps, { token: form.challenge, shown, request }, pageSessionOpener(request));
      await keepSession(deps, opened, request, reply);
      return reply.redirect(pageAfterSignIn(form.to), 303);
    } catch (error) {
      const { code, message } = failureOfForm(error, reply);
      if (code === 'invalid_challenge') return sendPage(reply, signInPage({ error: message, to: form.to }));
      const again = { challenge: form.challenge, to: form.to, error: message, field: typedField(form) };
      return sendPage(reply, await secondStepAgain(deps, again, request));
    }
  });

  app.post('/sign-in/passkey', async (request, reply) => {
    await spend(request, reply);
    const form = readInput(PasskeyForm, request.body ?? {});
    try {
      if (!form.passkey) throw invalid('passkey', 'was not shown');
      const { opened } = await signInByPasskey(deps, { token: form.challenge, passkey: form.passkey, request }, pageSessionOpener(request));
      await keepSession(deps, opened, request, reply);
      return reply.redirect(pageAfterSignIn(form.to), 303);
    } catch (error) {
      return sendPage(reply, signInPage({ error: failureOfForm(error, reply).message, to: form.to }));
    }
  });

  app.post('/sign-in/enrol', async (request, reply) => {
    await spend(request, reply);
    const form = readInput(EnrolmentForm, request.body ?? {});
    try {
      const codes = await enrol(deps, form, request, reply);
      return sendPage(reply, enrolledPage(codes, form.to));
    } catch (error) {
      const failure = failureOfForm(error, reply);
      if (failure.code === 'invalid_challenge') return sendPage(reply, signInPage({ error: failure.message, to: form.to }));
      const { user } = await readIdentified(deps, 'second-factor-enrolment', form.token);
      const challenge = form.code === undefined ? undefined : form.challenge;
      const enrolment = { user, token: form.token, to: form.to, challenge, ...refusalWords(failure) };
      return sendPage(reply, await enrolmentPage(deps, enrolment, request));
    }
  });
}

/** The second step once more, with the same challenge and the reason. */
async function secondStepAgain(
  { keyring, database }: StaffPageDeps,
  { challenge: asked, ...shown }: RefusedFactor & { challenge: string; to?: string | undefined },
  request: FastifyRequest,
): Promise<string> {
  const challenge = readOwnChallenge(keyring, 'second-factor', { token: asked, content: z.object({}) });
  const owner = challenge.account;
  const methods = await listSecondMethods(database.prisma, owner);
  const site = findSite(request);
  const passkey = site && methods.includes('hwk') ? await passkeyRequest(database.prisma, { site, challenge, owner }) : null;
  return secondStepPage({ ...shown, challenge: asked, methods, passkey });
}

/** Adds a first factor and opens the session. @returns recovery codes */
async function enrol(deps: StaffPageDeps, form: z.output<typeof EnrolmentForm>, request: FastifyRequest, reply: FastifyReply) {
  const { user, methods, challenge: started } = await readIdentified(deps, 'second-factor-enrolment', form.token);
  const { challenge, code, passkey, name } = form;
  const add = async (tx: Tx) => {
    await redeemChallenge(tx.prisma, started);
    if (await hasSecondFactor(tx.prisma, user)) throw conflict('has_second_factor', 'You have a second factor. Sign in with it.');
    if (passkey) {
      await addPasskey(tx, deps.keyring, { site: requireSite(request), challenge, name: name || 'Passkey', passkey });
    } else {
      await addAuthenticatorApp(tx, deps.keyring, { challenge, name: name || 'Authenticator app', code: code ?? '' });
    }
    const news = passkey ? 'passkey_added' : 'authenticator_app_added';
    await mailFactorNews(tx, { keyring: deps.keyring, origin: readOrigin(request) }, user.userId, news);
    tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId] });
    const session = await pageSessionOpener(request)(tx.prisma, user, [...methods, passkey ? 'hwk' : 'otp']);
    return { session, codes: await codesWithFirstFactor(tx, user) };
  };
  const { session, codes } = await deps.unitOfWork.write(toSignedInCaller(user, request), add).catch(async (error: unknown) => {
    await reportRefusedStep(deps, user, error, request);
    throw error;
  });
  await keepSession(deps, session, request, reply);
  return codes ?? [];
}
