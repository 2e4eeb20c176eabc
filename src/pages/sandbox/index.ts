import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readSandboxMailbox, type SandboxMail } from '../../domain/messaging/sandbox/sandbox-mailboxes.ts';
import { refuseForeignForms } from '../../http/pages/own-forms.ts';
import { servePageStyle } from '../assets/assets.ts';
import { PAGE_POLICY } from '../content-security-policy.ts';
import { emptyState } from '../design/feedback/empty-state.ts';
import { sendStaffFailurePage } from '../failures/failure-pages.ts';
import { html } from '../html.ts';
import { findStaff } from '../staff/sign-in/staff-scope.ts';
import { callPages } from './call-pages.ts';
import { type ControlDeps, sandboxControls } from './controls.ts';
import { frontPage } from './front-page.ts';
import { phonePages } from './phone-pages.ts';
import { hasSandbox, isSandboxOpen } from './sandbox-access.ts';
import type { SandboxDeps, SandboxPageDeps } from './sandbox-deps.ts';
import {
  FRONT_PAGE,
  REFRESH_SECONDS,
  readableReason,
  readableTime,
  readSandboxKey,
  reloadButton,
  requirePractice,
  sandboxCaller,
  showPage,
  withLinks,
} from './shared-parts.ts';

const MAX_MAILS = 40;

/** The page of a mailbox, with the newest mail first. */
function mailboxPages(app: FastifyInstance, deps: SandboxPageDeps): void {
  app.get('/sandbox/mailboxes/:key', async (request, reply) => {
    const { practice: id, at: address } = readSandboxKey(deps, request);
    const { practice, mails } = await deps.unitOfWork.read(sandboxCaller(request, id), async (tx) => ({
      practice: await requirePractice(tx),
      mails: await readSandboxMailbox(tx, { keyring: deps.keyring, address, most: MAX_MAILS }),
    }));
    if (mails.some(({ state }) => state === 'queued')) reply.header('refresh', REFRESH_SECONDS);
    const list = mails.map((mail) => showMail(mail, practice.timeZone)).join('');
    const content = html`
!${mails.length > 0 ? html`<ol class="mails">!${list}</ol>` : emptyState({ icon: 'mail', title: 'No mail yet' })}
<p>!${reloadButton(request.url)}</p>`;
    return showPage(reply, { title: address, practice, content, back: FRONT_PAGE });
  });
}

function showMail({ id, subject, body, at, state, reason }: SandboxMail, timeZone: string): string {
  if (state === 'queued') return html`<li><p class="hint">A mail is being sent.</p></li>`;
  return html`
<li><article class="stack" aria-labelledby="mail-${id}">
<h2 id="mail-${id}">${subject}</h2>
<p class="hint">${DELIVERY_LABELS[state]?.(reason) ?? 'On its way'} · ${readableTime(at, timeZone)}</p>
<p class="message">!${withLinks(body)}</p>
</article></li>`;
}

const DELIVERY_LABELS: Partial<Record<SandboxMail['state'], (reason: string | null) => string>> = {
  sent: () => 'Arrived',
  delivered: () => 'Arrived',
  suppressed: (reason) => `Not sent: ${readableReason(reason)}`,
  failed: (reason) => `Did not arrive: ${readableReason(reason)}`,
};

/** Whether the request is of somebody who is signed in to the pages of a practice for trying things out, where a sandbox is asked for. */
async function isOfTestPractice(deps: SandboxDeps, request: FastifyRequest): Promise<boolean> {
  if (deps.config.SANDBOX !== 'on') return false;
  const staff = await findStaff(deps, request);
  return staff !== null && deps.testPracticeIds?.includes(staff.organizationId) === true;
}

/**
 * `/sandbox`: the phones and mailboxes of the test practices' patients, so that one person can act as practice and patient. Requests from
 * this machine need no sign-in; with SANDBOX=on it is open to the users of those practices too. All others get a 404.
 */
async function sandboxPages(app: FastifyInstance, deps: SandboxDeps): Promise<void> {
  const { testPracticeIds } = deps;
  if (!testPracticeIds || !hasSandbox(deps)) return;
  app.addHook('onRequest', async (request, reply) => {
    if (!isSandboxOpen(deps, request) && !(await isOfTestPractice(deps, request))) {
      reply.callNotFound();
      return reply;
    }
    reply.headers({
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    });
    refuseForeignForms(request);
    return undefined;
  });
  app.setErrorHandler((error, request, reply: FastifyReply) => sendStaffFailurePage(error, request, reply));
  app.removeContentTypeParser('application/json');
  await servePageStyle(app, 'sandbox.css');
  const pageDeps = { ...deps, testPracticeIds };
  frontPage(app, pageDeps);
  phonePages(app, pageDeps);
  mailboxPages(app, pageDeps);
  callPages(app, pageDeps);
}

export async function sandbox(app: FastifyInstance, deps: ControlDeps): Promise<void> {
  await app.register((scope) => sandboxPages(scope, deps));
  await app.register((scope) => sandboxControls(scope, deps));
}
