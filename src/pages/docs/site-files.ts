import type { FastifyInstance } from 'fastify';
import { readOrigin } from '../../http/wire/links.ts';

const ROBOTS = 'User-agent: *\nAllow: /$\nAllow: /docs$\nAllow: /llms.txt$\nDisallow: /\n';
const VALID_DAYS = 180;

/** Files that programs look for at every site. */
export function siteFiles(app: FastifyInstance): void {
  app.get('/robots.txt', (_request, reply) => reply.type('text/plain; charset=utf-8').send(ROBOTS));
  app.get('/.well-known/security.txt', (request, reply) => reply.type('text/plain; charset=utf-8').send(securityText(readOrigin(request))));
}

/** RFC 9116. The page says how to report in private. */
function securityText(origin: string): string {
  const expires = new Date(Date.now() + VALID_DAYS * 24 * 60 * 60 * 1000);
  expires.setUTCHours(0, 0, 0, 0);
  const page = `${origin}/docs/security`;
  return [
    `Contact: ${page}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${origin}/.well-known/security.txt`,
    `Policy: ${page}`,
    '',
  ].join('\n');
}
