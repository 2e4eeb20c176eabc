import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import { findPasswordOwner, type PasswordFault, requireGoodPassword } from '../../../domain/identity/passwords/password-rules.ts';
import { hashPassword } from '../../../domain/identity/passwords/passwords.ts';
import { type AccountLinkKind, findAccountLink, findUserOfUsedLink, type OpenAccountLink } from '../../../domain/users/account-links.ts';
import { acceptInvitation } from '../../../domain/users/invitations.ts';
import { resetPasswordByLink } from '../../../domain/users/password-resets.ts';
import { readInput } from '../../../http/input/input.ts';
import { pageLanguage } from '../../../http/pages/page-language.ts';
import { startPasswordReset } from '../../../http/sign-in/own-password.ts';
import { checkCredentials, type PasswordDeps, toSignedInCaller } from '../../../http/sign-in/sign-in.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import { secret, text } from '../../../http/wire/wire-types.ts';
import { sendPage } from '../../design/layout/page.ts';
import { unknownLink } from '../../failures/failure-pages.ts';
import { requireVisitor } from '../../links/visitor.ts';
import { endedPage, forgotPage, newsPage, passwordPage, type RefusedForm } from './link-view.ts';

const FORGOT = '/sign-in/forgot';
const ADDRESSES = { reset: '/reset-password', invitation: '/invitation' } as const;

const params = z.object({ token: z.string() });
const EmailForm = z.object({ email: text(254).default('') });
const PasswordForm = z.object({
  password: secret(2_000).default(''),
  firstName: text(100).optional(),
  lastName: text(100).optional(),
});
type PasswordInput = z.output<typeof PasswordForm>;

type PageHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Pages on which a user without a password, or who has forgotten it, sets one by a mailed link. They sign in afterwards, as always. */
export function accountLinkPages(app: FastifyInstance, deps: PasswordDeps): void {
  app.get(FORGOT, (request, reply) => sendPage(reply, forgotPage(strangerLanguage(request), FORGOT)));
  app.post(FORGOT, async (request, reply) => {
    await startPasswordReset(deps, readInput(EmailForm, request.body ?? {}).email, request);
    return sendPage(reply, newsPage(strangerLanguage(request), 'sent'));
  });
  app.get('/password-saved', (request, reply) => sendPage(reply, newsPage(strangerLanguage(request), 'saved')));

  for (const kind of ['reset', 'invitation'] as const) {
    const path = `${ADDRESSES[kind]}/:token`;
    const orEnded = (handle: PageHandler) => async (request: FastifyRequest, reply: FastifyReply) =>
      handle(request, reply).catch((error: unknown) => {
        if (!(error instanceof Failure && error.code === unknownLink().code)) throw error;
        return sendPage(reply.code(404), endedPage(strangerLanguage(request), kind));
      });
    const show: PageHandler = async (request, reply) => sendForm(reply, request, kind, await open(deps, request, kind));
    const store: PageHandler = async (request, reply) => {
      const form = readInput(PasswordForm, request.body ?? {});
      const found = await findAccountLink(deps.database.prisma, readLink(request).link, kind);
      const refused = found && (await findRefusal(found, form, kind));
      if (found && refused) return sendForm(reply.code(400), request, kind, found, refused);
      const isSaved = found !== null && (await save(deps, request, kind, found, form));
      if (!isSaved && !(await isRepeated(deps, request, kind, form))) throw unknownLink();
      return reply.redirect('/password-saved', 303);
    };
    app.get(path, orEnded(show));
    app.post(path, orEnded(store));
  }
}

const readLink = (request: FastifyRequest) => requireVisitor(request, readInput(params, request.params).token, 'account');

/** @throws Failure not_found for a link that does not work, or not any more */
async function open({ database }: PasswordDeps, request: FastifyRequest, kind: AccountLinkKind): Promise<OpenAccountLink> {
  const found = await findAccountLink(database.prisma, readLink(request).link, kind);
  if (!found) throw unknownLink();
  return found;
}

/** Reasons to show the form again; null where all is well. */
async function findRefusal({ owner }: OpenAccountLink, form: PasswordInput, kind: AccountLinkKind): Promise<RefusedForm | null> {
  const names = kind === 'invitation' ? { firstName: form.firstName ?? '', lastName: form.lastName ?? '' } : {};
  const fault = await findPasswordFault(form.password, { ...owner, ...names });
  const isNamed = Object.values(names).every((name) => name !== '');
  if (fault === null && isNamed) return null;
  return { ...names, ...(fault === null ? {} : { fault }) };
}

const faults = z.enum(['too_short', 'too_long', 'too_common', 'contains_name', 'too_easy']);

async function findPasswordFault(...[password, owner]: Parameters<typeof requireGoodPassword>): Promise<PasswordFault | null> {
  try {
    await requireGoodPassword(password, owner);
    return null;
  } catch (error) {
    const known = error instanceof Failure ? faults.safeParse(error.issues[0]?.code).data : undefined;
    if (known === undefined) throw error;
    return known;
  }
}

/** @returns false where the link was used meanwhile */
async function save(
  { unitOfWork, keyring }: PasswordDeps,
  request: FastifyRequest,
  kind: AccountLinkKind,
  found: OpenAccountLink,
  { password, firstName = '', lastName = '' }: PasswordInput,
): Promise<boolean> {
  const { link } = readLink(request);
  const passwordHash = await hashPassword(password);
  return unitOfWork.write(toSignedInCaller(found.user, request), async (tx) => {
    if (kind === 'invitation') return acceptInvitation(tx, link, { firstName, lastName, passwordHash });
    return (await resetPasswordByLink(tx, { keyring, origin: readOrigin(request) }, { link, passwordHash })) !== null;
  });
}

/**
 * Whether a form has done before what it asks for: its answer was lost, and it is sent again. Another password than the one that was
 * set counts as a failed sign-in.
 */
async function isRepeated(
  deps: PasswordDeps,
  request: FastifyRequest,
  kind: AccountLinkKind,
  { password }: PasswordInput,
): Promise<boolean> {
  const { prisma } = deps.database;
  const { link } = readLink(request);
  const userId = await findUserOfUsedLink(prisma, link, kind);
  if (userId === null) return false;
  const { email } = await findPasswordOwner(prisma, { organizationId: link.organizationId, userId });
  const user = await checkCredentials(deps, { email, password }, request).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'unauthenticated') return null;
    throw error;
  });
  return user?.organizationId === link.organizationId && user.userId === userId;
}

const strangerLanguage = (request: FastifyRequest) => pageLanguage(request, { reader: null, practice: null });

function sendForm(
  reply: FastifyReply,
  request: FastifyRequest,
  kind: AccountLinkKind,
  found: OpenAccountLink,
  refused?: RefusedForm,
): FastifyReply {
  const language = pageLanguage(request, { reader: found.user.languageId, practice: found.practice.language });
  const address = `${ADDRESSES[kind]}/${readInput(params, request.params).token}`;
  return sendPage(reply, passwordPage(found, { kind, language, address, refused }));
}
