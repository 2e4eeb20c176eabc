import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { findLogo } from '../../../domain/practices/look/look.ts';
import { linkCaller } from '../../../http/sign-in/sign-in.ts';
import type { PageDeps } from '../../page-deps.ts';

const logoParams = z.object({ practice: z.coerce.number().int().min(1).max(2_147_483_647), name: z.string().regex(/^[\da-f]{64}\.png$/) });

/**
 * Serves the logos of practices at `/assets/logos/<practice>/<hash>.png`. The hash is that of the picture: who knows it has seen a
 * page of the practice, and a new logo has another address, so that browsers keep each for a year.
 */
export function serveLogos(app: FastifyInstance, { unitOfWork }: PageDeps): void {
  app.get('/assets/logos/:practice/:name', { schema: { hide: true } }, async (request, reply) => {
    const { data } = logoParams.safeParse(request.params);
    if (!data) return reply.callNotFound();
    const caller = linkCaller(request, data.practice, 'logo');
    const logo = await unitOfWork.read(caller, (db) => findLogo(db, caller, data.name.slice(0, -'.png'.length)));
    if (logo === null) return reply.callNotFound();
    return reply.header('cache-control', 'public, max-age=31536000, immutable').type('image/png').send(logo);
  });
}
