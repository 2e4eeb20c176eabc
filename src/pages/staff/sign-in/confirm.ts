import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure } from '../../../domain/errors.ts';
import { ShownPasskey } from '../../../domain/identity/factors/passkeys.ts';
import { findExternalSession } from '../../../domain/identity/single-sign-on/external-sessions.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { txOf } from '../../../domain/tx.ts';
import { requireStepUp } from '../../../http/auth/step-up.ts';
import { readInput } from '../../../http/input/input.ts';
import { proveAgain, stepUpOptions } from '../../../http/sign-in/prove-again.ts';
import { secret } from '../../../http/wire/wire-types.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { sendPage, writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { pageAfterSignIn } from './return-address.ts';
import { failureOfForm, inField } from './second-step-pages.ts';
import { type RefusedFactor, renderHiddenFields, secondStepPage, typedField } from './second-step-view.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';
import { readerPractice, requireStaff } from './staff-scope.ts';

const TITLE = 'Confirm that it is you';
const LEAD = 'This action requires a second factor again.';
const FOOT = html`<p><a href="/account">Not now: go to your account</a></p>`;
const to = z.string().optional().catch(undefined);
const ConfirmQuery = z.object({ to, otherwise: z.string().optional().catch(undefined) });
const ConfirmForm = z.object({
  challenge: secret(1_500).optional(),
  password: secret(1_000).optional(),
  code: secret(20).optional(),
  recovery_code: secret(60).optional(),
  passkey: inField(ShownPasskey),
  to,
});

/**
 * Whether the person at a page has proved who they are within a quarter of an hour.
 * @returns the address where they do it again; null where they have
 */
export async function confirmAddress(deps: StaffPageDeps, request: FastifyRequest, back = request.url): Promise<string | null> {
  try {
    await requireStepUp(txOf(deps.database.prisma, requireStaff(request)));
    return null;
  } catch (error) {
    if (error instanceof Failure && error.code === 'step_up_required') return `/sign-in/confirm?to=${encodeURIComponent(back)}`;
    throw error;
  }
}

/** The page on which somebody who is signed in proves again who they are. In the scope of staff. */
export function confirmPages(app: FastifyInstance, deps: StaffPageDeps): void {
  async function page(request: FastifyRequest, asked: string | undefined, refused: RefusedFactor = {}): Promise<string> {
    const { methods, challenge, passkey } = await stepUpOptions(txOf(deps.database.prisma, requireStaff(request)), deps.keyring, request);
    const practice = await readerPractice(deps, request);
    if (methods.includes('pwd')) return passwordPage(practice, asked, refused.error);
    return secondStepPage({
      practice,
      challenge,
      methods,
      passkey,
      to: asked,
      ...refused,
      action: '/sign-in/confirm',
      title: TITLE,
      lead: LEAD,
      foot: FOOT,
    });
  }

  async function isBySingleSignOn(request: FastifyRequest): Promise<boolean> {
    const { organizationId, sessionId } = requireStaff(request);
    return sessionId !== null && (await findExternalSession(deps.database.prisma, deps.keyring, { organizationId, sessionId })) !== null;
  }

  app.get('/sign-in/confirm', async (request, reply) => {
    const query = readInput(ConfirmQuery, request.query);
    if (query.otherwise === undefined && (await isBySingleSignOn(request)))
      return sendPage(reply, singleSignOnPage(await readerPractice(deps, request), query.to));
    return sendPage(reply, await page(request, query.to));
  });

  app.get('/account/confirmed', async (request, reply) => sendPage(reply, confirmedPage(await readerPractice(deps, request))));

  app.post('/sign-in/confirm', async (request, reply) => {
    const form = readInput(ConfirmForm, request.body ?? {});
    const { challenge, password, code, recovery_code: recoveryCode, passkey, to: asked } = form;
    try {
      await proveAgain(deps, requireStaff(request), { challenge, password, shown: { code, recoveryCode, passkey }, request });
      return reply.redirect(pageAfterSignIn(asked), 303);
    } catch (error) {
      return sendPage(reply, await page(request, asked, { error: failureOfForm(error, reply).message, field: typedField(form) }));
    }
  });
}

/** The end of a proof in a window of its own, which a form that waits in another window has asked for. */
const confirmedPage = (practice: LinkPractice): string =>
  writePage({
    title: 'Thank you',
    practice,
    mark: { icon: 'success', kind: 'success' },
    content: html`<p>You have confirmed that it is you. Close this window and send the form in the other one again.</p>`,
  });

const PASSWORD = { type: 'password', autocomplete: 'current-password', maxlength: 1_000, required: true, autofocus: true };

const passwordPage = (practice: LinkPractice, asked: string | undefined, error: string | undefined): string =>
  writePage({
    title: TITLE,
    practice,
    content: html`
<p class="lead">This action requires your password again.</p>
<form class="stack" method="post" action="/sign-in/confirm">
!${renderHiddenFields({ to: asked })}
!${textField({ name: 'password', label: 'Password', error: error ?? null, required: true, attributes: PASSWORD })}
<p>!${button({ label: 'Continue', wide: true })}</p>
</form>`,
    foot: FOOT,
  });

/** For those who signed in with single sign-on, who may have neither a password nor a factor here. */
const singleSignOnPage = (practice: LinkPractice, asked: string | undefined): string => {
  const query = asked === undefined ? '' : `to=${encodeURIComponent(asked)}`;
  return writePage({
    title: TITLE,
    practice,
    content: html`
<p class="lead">This action requires you to sign in again at the sign-in service of your practice.</p>
<p>!${linkButton({ href: `/sign-in/sso/confirm?${query}`, label: 'Continue', wide: true })}</p>
<p><a href="/sign-in/confirm?otherwise=yes&${query}">Use a password or a second factor of this server instead</a></p>`,
    foot: FOOT,
  });
};
