import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { forbidden } from '../../domain/errors.ts';
import { isOwnOrigin } from '../wire/links.ts';

const foreign = () => forbidden('foreign_form', 'This form was not sent from its own page. Open the page, and send it from there.');

const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/**
 * For pages whose caller is known by a cookie or by the machine alone. Browsers say which page has sent a form; the pages need the
 * referrer policy same-origin, since under no-referrer the origin of a form is null.
 * @throws Failure forbidden for a form that a page of another site has sent
 */
export function refuseForeignForms(request: FastifyRequest): void {
  const { headers } = request;
  if (isReading(request)) return;
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin !== undefined && isOwnOrigin(request, headers.origin) : site === 'same-origin';
  if (!isOwn) throw foreign();
}

/**
 * For pages behind a secret link, whose referrer policy is no-referrer: older browsers, and browsers on a page without https, say no
 * origin there, or null. The link itself proves the caller, so that only what says that it is foreign is refused.
 * @param config.CORS_ORIGINS whose pages may lead visits too
 * @throws Failure forbidden for a form that says that a page of another site has sent it
 */
export function refuseFormsOfOthers(request: FastifyRequest, { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (isReading(request) || (origin !== undefined && CORS_ORIGINS.includes(origin))) return;
  const isOwn = site === undefined ? origin === undefined || origin === 'null' || isOwnOrigin(request, origin) : site === 'same-origin';
  if (!isOwn) throw foreign();
}
