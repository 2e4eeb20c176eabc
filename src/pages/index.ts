import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refuseFormsOfOthers } from '../http/pages/own-forms.ts';
import { keepChosenLanguage } from '../http/pages/page-language.ts';
import type { LimitKind } from '../http/requests/limits.ts';
import type { PasswordDeps } from '../http/sign-in/sign-in.ts';
import { serveDesign, serveFavicon, serveFolderStyle } from './assets/assets.ts';
import { serveScripts } from './assets/scripts.ts';
import { PAGE_POLICY } from './content-security-policy.ts';
import { serveLogos, serveLookSheets } from './design/layout/look-sheet.ts';
import { showcase } from './design/showcase.ts';
import { sendFailurePage } from './failures/failure-pages.ts';
import { coverPreviews } from './links/link-previews.ts';
import { lockedLinkPages } from './links/locked-links.ts';
import type { PageDeps } from './page-deps.ts';
import { bookingPages } from './patients/booking/pages.ts';
import { publicBookingPages } from './patients/booking/public-pages.ts';
import { checkInPages } from './patients/check-in/pages.ts';
import { externalMessagePages } from './patients/external-message/pages.ts';
import { mediaUploads } from './patients/visit/media-uploads.ts';
import { visitPages } from './patients/visit/visit-pages.ts';
import { accountLinkPages } from './staff/account/link-pages.ts';

/** The pages that patients, and people without a password, open from a text or a mail: HTML, each behind a secret link. */
export async function pages(app: FastifyInstance, deps: PageDeps & PasswordDeps): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
      // The address holds the secret of the link, so no other server may receive it as a referrer.
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    });
    refuseFormsOfOthers(request, deps.config);
    keepChosenLanguage(request, reply);
    trimLink(request);
  });
  app.setErrorHandler(sendFailurePage);
  await app.register(async (scope) => {
    countAs(scope, deps, 'sign-in');
    coverPreviews(scope);
    accountLinkPages(scope, deps);
  });
  await app.register(async (scope) => {
    countAs(scope, deps, 'address');
    coverPreviews(scope);
    await patientPages(scope, deps);
  });
}

/** A token, or the id of a practice, and the text that people and programs leave at the end of a link: a full stop, a bracket, a quote. */
const LINK = /^(?<part>[\w-]{32}|\d+)[^\p{L}\p{N}]{1,20}$/u;

/** Removes from the parts of an address the text that stuck to its end, so that no page leads to an address with it. */
function trimLink({ params }: FastifyRequest): void {
  const parts = params ?? {};
  for (const [name, written] of Object.entries(parts))
    Object.assign(parts, { [name]: LINK.exec(String(written))?.groups?.part ?? written });
}

async function patientPages(app: FastifyInstance, deps: PageDeps): Promise<void> {
  bookingPages(app, deps);
  publicBookingPages(app, deps);
  checkInPages(app, deps);
  externalMessagePages(app, deps);
  lockedLinkPages(app, deps);
  visitPages(app, deps);
  await app.register((scope) => mediaUploads(scope, deps));
  await serveScripts(app);
  await serveDesign(app);
  await serveFavicon(app);
  await serveFolderStyle(app, 'visit');
  serveLookSheets(app);
  serveLogos(app, deps);
  if (deps.config.NODE_ENV !== 'production') showcase(app);
}

/** Guesses of links to an account are counted with sign-ins, so that a waiting room full of patients keeps nobody out of theirs. */
function countAs(app: FastifyInstance, { limits }: PageDeps, kind: LimitKind): void {
  app.addHook('onRequest', async (request, reply) => limits.spend(kind, request, reply));
}
