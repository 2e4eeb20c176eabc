import type { FastifyInstance } from 'fastify';
import { darkAccent, PAGE_COLOURS } from '../../../domain/practices/look/brand-colour.ts';
import type { Colour } from '../../../domain/practices/look/colours.ts';

const NAME = /^([\da-f]{6})\.css$/;

/**
 * Serves the style sheet of each practice's colour at `/assets/look/<six digits>.css`. It follows from the colour alone, so that it
 * can be kept, and no page needs a style in its text.
 */
export function serveLookSheets(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/assets/look/:name', { schema: { hide: true } }, async ({ params }, reply) => {
    const [, digits] = NAME.exec(params.name) ?? [];
    if (digits === undefined) return reply.callNotFound();
    return reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/css; charset=utf-8')
      .send(lookSheet(`#${digits}`));
  });
}

const lookSheet = (colour: Colour): string => `:root {
  --accent: light-dark(${colour}, ${darkAccent(colour)});
  --on-accent: light-dark(${PAGE_COLOURS.light.onAccent}, ${PAGE_COLOURS.dark.onAccent});
}
`;
