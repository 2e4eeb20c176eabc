import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { forbidden } from '../../domain/errors.ts';
import { servePageStyle } from '../assets.ts';
import { PAGE_POLICY } from '../content-security-policy.ts';
import { sendFailurePage } from '../failure-pages.ts';
import { callPages } from './call-pages.ts';
import { frontPage } from './front-page.ts';
import { mailboxPages } from './mailbox-pages.ts';
import { phonePages } from './phone-pages.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

/**
 * `/sandbox`: the phones and mailboxes of the demo practices' patients, so that one person can act as practice and patient. There
 * is no sign-in. Therefore it exists only with the demo, not in production, only with the local carrier, which sends nothing,
 * and only for requests from this machine; all others get a 404.
 */
export async function sandbox(app: FastifyInstance, { demoPracticeIds, ...deps }: SandboxDeps): Promise<void> {
  const { config, gateways } = deps;
  if (!demoPracticeIds || config.NODE_ENV === 'production' || gateways.carrier.name !== 'local') return;
  app.addHook('onRequest', async (request, reply) => {
    if (demoPracticeIds.length === 0 || !isLocal(request)) {
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
  app.setErrorHandler((error, request, reply: FastifyReply) => sendFailurePage(error, request, reply));
  app.removeContentTypeParser('application/json');
  await servePageStyle(app, 'sandbox.css');
  const pageDeps = { ...deps, demoPracticeIds };
  frontPage(app, pageDeps);
  phonePages(app, pageDeps);
  mailboxPages(app, pageDeps);
  callPages(app, pageDeps);
}

const LOOPBACK_PEER = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers of proxies, behind which the client may be anywhere. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether the request comes from this machine, by its socket. The host must be a loopback name too, because a page of another
 * site could otherwise read the response through a DNS name that points here (DNS rebinding).
 */
function isLocal({ raw, headers }: FastifyRequest): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return LOOPBACK_PEER.test(raw.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
}

/** @throws Failure forbidden for a form that a page of another site has sent, by the headers of the browser */
function refuseForeignForms({ method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === `http://${headers.host}` : site === 'same-origin';
  if (!isOwn) throw forbidden('foreign_form', 'This form was not sent from the sandbox itself. Open the sandbox, and send it from there.');
}
