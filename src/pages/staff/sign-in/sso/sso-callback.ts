import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerIdentity } from '../../../../domain/caller.ts';
import { recordStepUp } from '../../../../domain/identity/factors/step-up.ts';
import { sessionUser } from '../../../../domain/identity/sessions/sessions.ts';
import {
  type Admission,
  type AdmissionRefusal,
  admitExternalPerson,
} from '../../../../domain/identity/single-sign-on/external-identities.ts';
import { readPerson } from '../../../../domain/identity/single-sign-on/external-person.ts';
import { findExternalSession, keepExternalSession } from '../../../../domain/identity/single-sign-on/external-sessions.ts';
import { findUsableProvider, type UsableProvider } from '../../../../domain/identity/single-sign-on/identity-providers.ts';
import { inPractice } from '../../../../domain/tx.ts';
import { type ExternalSignIn, ProviderRefusal, type SignInBinding } from '../../../../gateways/openid/openid-connect.ts';
import { admitUser } from '../../../../http/sign-in/admit-user.ts';
import { logRefusedSignIn } from '../../../../http/sign-in/refused-sign-ins.ts';
import { callerWithoutUser, toSignedInCaller } from '../../../../http/sign-in/sign-in.ts';
import { sendPage } from '../../../design/layout/page.ts';
import { keepSession, pageSessionOpener } from '../finish.ts';
import { pageAfterSignIn } from '../return-address.ts';
import type { StaffPageDeps } from '../staff-page-deps.ts';
import { type StartedSignIn, takeFromBrowser } from './sso-cookie.ts';
import { onwardPage, refusedPage } from './sso-view.ts';
import { orUnreachable, startAddress } from './start-sso.ts';

const REFUSALS: Record<AdmissionRefusal | 'cancelled' | 'not_valid' | 'another_person' | 'too_late', string> = {
  deactivated: 'Your account in this practice is closed. Ask an administrator of your practice.',
  no_group: 'None of your groups may use this server. Ask the people who manage accounts in your organization.',
  no_account: 'You have no account in this practice yet. Ask an administrator of your practice to invite you.',
  email_not_verified:
    'There is an account with your email, but your sign-in service has not verified that address. Ask an administrator of your practice.',
  linked_otherwise: 'The account with your email belongs to another identity. Ask an administrator of your practice to unlink it.',
  cancelled: 'You did not complete the sign-in at your practice’s sign-in service.',
  not_valid: 'The response of the sign-in service was invalid. If this happens again, tell your administrator.',
  another_person: 'You signed in as somebody else. To confirm, sign in as yourself.',
  too_late: 'This sign-in was started in another browser, was already used, or took longer than ten minutes. Please start again.',
};

/** The page to which a provider sends browsers back: opens the session of a person whom it has verified. */
export async function callbackPage(deps: StaffPageDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  await deps.limits.spend('sign-in', request, reply);
  const taken = takeFromBrowser(deps.keyring, request, reply);
  const { pathname, search } = new URL(request.url, 'http://here');
  if (!taken?.binding.redirectUri.endsWith(pathname)) return refuse(reply.code(400), 'too_late', '/sign-in/sso');
  const { started, binding } = taken;
  const again = startAddress(started.organizationId, started.to);
  const provider = await findUsableProvider(deps.database.prisma, deps.keyring, started.organizationId);
  if (!provider) return refuse(reply.code(400), 'too_late', '/sign-in/sso');
  return orUnreachable(request, reply, again, async () => {
    const external = await verify(deps, provider, { search, binding }, request);
    if (typeof external === 'string') {
      logRefusedSignIn(request, { organization: started.organizationId, reason: external });
      return refuse(reply.code(403), external, again);
    }
    const refusal =
      started.sessionId === undefined
        ? await signIn(deps, provider, external, { request, reply })
        : await confirm(deps, started, started.sessionId, { external, request });
    if (refusal !== null) return refuse(reply.code(403), refusal, again);
    // Not a redirection: the chain of those began at another site, so that browsers would keep back the strict cookie of the session.
    const address = pageAfterSignIn(started.to);
    return sendPage(reply, onwardPage({ title: 'Signed in', address, words: 'You are signed in.', label: 'Continue' }));
  });
}

const refuse = (reply: FastifyReply, reason: keyof typeof REFUSALS, again: string): FastifyReply =>
  sendPage(reply, refusedPage({ title: 'You are not signed in', words: REFUSALS[reason], again }));

async function verify(
  { gateways }: StaffPageDeps,
  { settings, groupsClaim }: UsableProvider,
  { search, binding }: { search: string; binding: SignInBinding },
  request: FastifyRequest,
): Promise<ExternalSignIn | 'cancelled' | 'not_valid'> {
  try {
    const callback = new URL(`${binding.redirectUri}${search}`);
    return await gateways.openIdConnect.finishSignIn(settings, callback, binding, ['email', groupsClaim.split('.')[0] ?? groupsClaim]);
  } catch (error) {
    if (!(error instanceof ProviderRefusal)) throw error;
    request.log.warn({ err: error, reason: error.message }, 'a single sign-on was refused');
    return error.providerError === 'access_denied' ? 'cancelled' : 'not_valid';
  }
}

/** @returns the reason for a refusal, which is audited; null where a session is open */
async function signIn(
  deps: StaffPageDeps,
  provider: UsableProvider,
  external: ExternalSignIn,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<AdmissionRefusal | null> {
  const { unitOfWork, keyring } = deps;
  const person = readPerson(external, provider.groupsClaim);
  const admission = await unitOfWork.write(providerCaller(provider, request), async (tx): Promise<Admission> => {
    const outcome = await admitExternalPerson(tx, provider, person);
    if (outcome.kind === 'refused') {
      const ids = outcome.userId === null ? [] : [outcome.userId];
      logRefusedSignIn(request, { user: ids[0], organization: tx.organizationId, reason: outcome.reason });
      tx.journal.audits.push({ action: 'sign_in_refused', resource: 'user', ids, detail: `single sign-on: ${outcome.reason}` });
    }
    return outcome;
  });
  if (admission.kind === 'refused') return admission.reason;
  const { user } = admission;
  await admitUser(deps, { user, methods: ['sso'], request });
  const session = await unitOfWork.write(toSignedInCaller(user, request), async (tx) => {
    tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId], detail: 'sso' });
    const opened = await pageSessionOpener(request)(tx.prisma, user, ['sso']);
    await keepExternalSession(tx.prisma, keyring, opened, external);
    return opened;
  });
  await keepSession(deps, session, request, reply);
  return null;
}

/** The user of a session has proved again who they are. @returns the reason for a refusal; null where that is recorded */
async function confirm(
  { database, keyring, unitOfWork }: StaffPageDeps,
  { organizationId }: StartedSignIn,
  sessionId: string,
  { external, request }: { external: ExternalSignIn; request: FastifyRequest },
): Promise<'another_person' | 'too_late' | null> {
  const user = await sessionUser(inPractice(database.prisma, organizationId), sessionId);
  if (!user) return 'too_late';
  const behind = await findExternalSession(database.prisma, keyring, user);
  if (behind?.issuer !== external.issuer || behind.subject !== external.subject) return 'another_person';
  await unitOfWork.write(toSignedInCaller(user, request, sessionId), async (tx) => {
    await recordStepUp(tx.prisma, user, ['sso']);
    tx.journal.audits.push({ action: 'sign_in', resource: 'user', ids: [user.userId], detail: 'confirmed with sso' });
  });
  return null;
}

/** The provider of a practice, which links users and makes them, before it is known who signs in. */
const providerCaller = ({ organizationId }: UsableProvider, request: FastifyRequest): CallerIdentity =>
  callerWithoutUser(request, organizationId, 'single-sign-on');
