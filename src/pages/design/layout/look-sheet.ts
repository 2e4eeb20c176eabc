import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { darkAccent, PAGE_COLOURS } from '../../../domain/practices/look/brand-colour.ts';
import type { Colour } from '../../../domain/practices/look/colours.ts';
import { findLogo } from '../../../domain/practices/look/look.ts';
import { linkCaller } from '../../../http/sign-in/sign-in.ts';
import { keepAsset } from '../../assets/assets.ts';
import type { PageDeps } from '../../page-deps.ts';

const logoParams = z.object({ practice: z.coerce.number().int().min(1).max(2_147_483_647), name: z.string().regex(/^[\da-f]{64}\.png$/) });

/**
 * Serves the logos of practices at `/assets/logos/<practice>/<hash>.png`. The hash is that of the picture: who knows it has seen a
 * page of the practice, and a new logo has another address, so that browsers keep each for a year.
 */
export function serveLogos(app: FastifyInstance, { unitOfWork }: PageDeps): void {
  app.get('/assets/logos/:practice/:name', async (request, reply) => {
    const { data } = logoParams.safeParse(request.params);
    if (!data) return reply.callNotFound();
    const caller = linkCaller(request, data.practice, 'logo');
    const logo = await unitOfWork.read(caller, (tx) => findLogo(tx, data.name.slice(0, -'.png'.length)));
    if (logo === null) return reply.callNotFound();
    return reply.header('cache-control', 'public, max-age=31536000, immutable').type('image/png').send(logo);
  });
}

const NAME = /^([\da-f]{6})\.css$/;

/**
 * Serves the style sheet of each practice's colour at `/assets/look/<six digits>.css`. It follows from the colour alone, so that it
 * can be kept, and no page needs a style in its text.
 */
export function serveLookSheets(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/assets/look/:name', async (request, reply) => {
    const [, digits] = NAME.exec(request.params.name) ?? [];
    if (digits === undefined) return reply.callNotFound();
    return keepAsset(request, reply)
      .type('text/css; charset=utf-8')
      .send(lookSheet(`#${digits}`));
  });
}

const lookSheet = (colour: Colour): string => `:root {
  --accent: light-dark(${colour}, ${darkAccent(colour)});
  --on-accent: light-dark(${PAGE_COLOURS.light.onAccent}, ${PAGE_COLOURS.dark.onAccent});
}
`;
