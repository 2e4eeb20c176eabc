import type { FastifyInstance } from 'fastify';
import { darkAccent, PAGE_COLOURS } from '../../../domain/practices/look/brand-colour.ts';
import type { Colour } from '../../../domain/practices/look/colours.ts';
import { keepAsset } from '../../assets/assets.ts';

const NAME = /^([\da-f]{6})\.css$/;

/**
 * Serves the style sheet of each practice's colour at `/assets/look/<six digits>.css`. It follows from the colour alone, so that it
 * can be kept, and no page needs a style in its text.
 */
export function serveLookSheets(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/assets/look/:name', { schema: { hide: true } }, async (request, reply) => {
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
