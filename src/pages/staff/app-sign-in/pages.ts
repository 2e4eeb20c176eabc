import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure, invalid } from '../../../domain/errors.ts';
import { type App, findApp, issueAuthorizationCode } from '../../../domain/identity/clients/authorization-codes.ts';
import { isRegisteredRedirect } from '../../../domain/identity/clients/client-redirects.ts';
import { isProofFresh } from '../../../domain/identity/factors/step-up.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { findActingUser } from '../../../domain/users/users.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { AUTHORIZATION_PATH } from '../../../http/oauth/metadata.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { leadingOnPolicy } from '../../content-security-policy.ts';
import { sendPage } from '../../design/layout/page.ts';
import { signInAddressFor } from '../sign-in/return-address.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { findStaff, type StaffMember } from '../sign-in/staff-scope.ts';
import {
  type AuthorizationError,
  type AuthorizationRequest,
  addressOfRequest,
  afterProof,
  answerAddress,
  longestProofAge,
  readParameters,
  readRequest,
  toPolicySource,
} from './authorization-request.ts';
import { consentPage, continuePage, notForPracticePage, type PersonAndApp } from './view.ts';

const parameters = z.record(z.string(), z.unknown()).catch({});

/** The page of the code flow (RFC 6749 4.1): a person who is signed in lets an app act for them, each time anew. */
export function appSignInPages(app: FastifyInstance, deps: StaffPageDeps): void {
  app.get(AUTHORIZATION_PATH, async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    return showQuestion(deps, request, reply);
  });
  app.post(AUTHORIZATION_PATH, async (request, reply) => {
    await deps.limits.spend('sign-in', request, reply);
    return takeAnswer(deps, request, reply);
  });
}

async function showQuestion(deps: StaffPageDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { known, read, asked } = await readAsked(deps, request.query);
  if ('error' in asked) return refuse(reply, request, { read, asked });
  const staff = await findStaff(deps, request);
  if (staff === null && isFromElsewhere(request)) return sendBySelf(reply, addressOfRequest(read.parameters));
  const step = await firstStep(deps, { read, asked, staff }, request);
  if (step !== null || !staff) return reply.redirect(step ?? '/sign-in', 303);
  const shown = { ...(await findPersonHere(deps, staff)), app: known.name, here: addressOfRequest(afterProof(read.parameters)) };
  if (!known.organizationIds.includes(staff.organizationId)) {
    // Not a redirection: after the form for signing in, browsers would hold it against the policy of that page.
    const back = refusalAddress(request, read, NOT_FOR_PRACTICE);
    return sendPage(reply, notForPracticePage({ ...shown, back }));
  }
  reply.header('content-security-policy', leadingOnPolicy(toPolicySource(asked.redirectUri)));
  const opens = asked.scopes.map((scope) => ({ scope, areas: deps.appAreas.listAreas(scope) }));
  const asks = { opens, asksProof: longestProofAge(asked) !== null };
  return sendPage(reply, consentPage({ ...shown, ...asks, returnsTo: new URL(asked.redirectUri), parameters: read.parameters }));
}

/** The answer counts only where the question would be shown now: a form can be sent without having been shown. */
async function takeAnswer(deps: StaffPageDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = parameters.parse(request.body);
  const { known, read, asked } = await readAsked(deps, form);
  if ('error' in asked) return refuse(reply, request, { read, asked });
  const staff = await findStaff(deps, request);
  if (staff && form.decision !== 'continue') return refuse(reply, request, { read, asked: DENIED });
  const step = await firstStep(deps, { read, asked, staff }, request);
  if (step !== null || !staff?.sessionId) return reply.redirect(step ?? '/sign-in', 303);
  if (!known.organizationIds.includes(staff.organizationId)) return refuse(reply, request, { read, asked: NOT_FOR_PRACTICE });
  const { organizationId, userId, sessionId } = staff;
  const code = await deps.unitOfWork.write(staff, async (tx) => {
    tx.journal.audits.push({
      action: 'update',
      resource: 'user',
      ids: userId === null ? [] : [userId],
      detail: `let the app ${known.id} sign in: ${asked.scopes.join(' ')}`,
    });
    return issueAuthorizationCode(tx.prisma, { organizationId, sessionId }, { ...asked, asksProof: longestProofAge(asked) !== null });
  });
  return reply.redirect(answerAddress(asked.redirectUri, { code, state: asked.state, iss: readOrigin(request) }), 303);
}

/**
 * The address of the step before the question: signing in, the proof that the app asks for, or the app where nobody may be asked. Null
 * for none. No reply, which is a promise of its end: an await would wait for that, and go on.
 */
async function firstStep(
  deps: StaffPageDeps,
  { read, asked, staff }: { read: Asked['read']; asked: AuthorizationRequest; staff: StaffMember | null },
  request: FastifyRequest,
): Promise<string | null> {
  const isProved = staff !== null && (await hasProof(deps, staff, asked));
  if (asked.prompt === 'none') return refusalAddress(request, read, isProved ? CONSENT_REQUIRED : LOGIN_REQUIRED);
  const here = addressOfRequest(afterProof(read.parameters));
  if (!staff) return signInAddressFor(here);
  return isProved ? null : `/sign-in/confirm?to=${encodeURIComponent(here)}`;
}

const findPersonHere = ({ unitOfWork }: StaffPageDeps, staff: StaffMember): Promise<Pick<PersonAndApp, 'practice' | 'person'>> =>
  unitOfWork.read(staff, async (tx) => ({
    practice: await requireLinkPractice(tx),
    person: fullName(await findActingUser(tx)) ?? 'nobody with a name',
  }));

const DENIED: AuthorizationError = { error: 'access_denied', description: 'The person did not agree.' };
const NOT_FOR_PRACTICE: AuthorizationError = {
  error: 'access_denied',
  description: 'The app is not registered for the person’s practice.',
};

const LOGIN_REQUIRED: AuthorizationError = {
  error: 'login_required',
  description: 'The person must sign in or confirm their identity again.',
};
const CONSENT_REQUIRED: AuthorizationError = { error: 'consent_required', description: 'The person must agree each time.' };

/** Whether the session of a person is as fresh as the app asks. */
async function hasProof(
  { database }: StaffPageDeps,
  { organizationId, sessionId }: StaffMember,
  asked: AuthorizationRequest,
): Promise<boolean> {
  const seconds = longestProofAge(asked);
  if (seconds === null) return true;
  return seconds > 0 && sessionId !== null && isProofFresh(database.prisma, { organizationId, sessionId }, seconds);
}

interface Asked {
  read: ReturnType<typeof readParameters>;
  asked: AuthorizationRequest | AuthorizationError;
}

/**
 * The request of an app.
 * @throws Failure invalid, which a page shows, for an unknown app or an address that it has not registered: nobody is sent there
 */
async function readAsked({ database }: StaffPageDeps, given: unknown): Promise<Asked & { known: App }> {
  const read = readParameters(parameters.parse(given));
  const { client_id, redirect_uri } = read.parameters;
  const known = client_id === undefined ? null : await findApp(database.prisma, client_id);
  if (!known) throw new Failure('invalid', 'unknown_app', 'This server does not know the app that sent you here.');
  if (redirect_uri === undefined || !isRegisteredRedirect(known.redirectUris, redirect_uri))
    throw new Failure('invalid', 'unknown_redirect_uri', `${known.name} sent a redirect address that is not registered for it.`);
  return { known, read, asked: readRequest(read, known) };
}

/** Tells the app what is wrong, at its registered address. */
function refuse(reply: FastifyReply, request: FastifyRequest, { read, asked }: Asked): FastifyReply {
  if (!('error' in asked)) throw invalid('decision', 'is missing');
  return reply.redirect(refusalAddress(request, read, asked), 303);
}

function refusalAddress(
  request: FastifyRequest,
  { parameters: { state, redirect_uri = '' } }: Asked['read'],
  { error, description: error_description }: AuthorizationError,
): string {
  return answerAddress(redirect_uri, { error, error_description, state, iss: readOrigin(request) });
}

/**
 * Whether the browser comes from the page of another site: then it does not show its cookie, which is for requests of our own pages
 * alone.
 */
const isFromElsewhere = ({ headers }: FastifyRequest): boolean => headers['sec-fetch-site'] === 'cross-site';

/** Sends a browser here once more, from here. */
const sendBySelf = (reply: FastifyReply, here: string): FastifyReply =>
  sendPage(reply.header('refresh', `0; url=${here}`), continuePage(here));
