import type { FastifyRequest } from 'fastify';
import { forbidden } from '../domain/errors.ts';
import { isOwnOrigin } from '../http/links.ts';

/**
 * For pages whose caller is known by a cookie or by the machine alone. Browsers say which page has sent a form; the pages need the
 * referrer policy same-origin, since under no-referrer the origin of a form is null.
 * @throws Failure forbidden for a form that a page of another site has sent
 */
export function refuseForeignForms(request: FastifyRequest): void {
  const { method, headers } = request;
  if (method === 'GET' || method === 'HEAD') return;
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin !== undefined && isOwnOrigin(request, headers.origin) : site === 'same-origin';
  if (!isOwn) throw forbidden('foreign_form', 'This form was not sent from its own page. Open the page, and send it from there.');
}
