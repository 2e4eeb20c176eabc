import type { FastifyInstance, FastifyRequest } from 'fastify';
import { writePage } from '../design/layout/page.ts';
import { unreadableLinks } from '../failures/failure-pages.ts';
import { html } from '../html.ts';

/**
 * The names of programs that fetch a link as soon as it stands in a conversation, and show what they find beside it: most say that they are a bot.
 * iMessage and Signal name themselves as Facebook's and WhatsApp's programs do. Browsers within apps, which people read with, have none
 * of these names; CUBOT makes telephones.
 */
const PREVIEWERS =
  /(?<!cu)bot\b|crawler|spider|preview|facebookexternalhit|facebookcatalog|meta-externalagent|meta-externalfetcher|whatsapp\/|slack-imgproxy|google-pagerenderer|googlemessages|line-poker|vkshare|embedly|iframely|viber\/|mastodon\/|pleroma|synapse|microsoft office\/|googleimageproxy|flipboardproxy/i;

/** One page for every link, known or not: a preview must show nothing of what is behind it, nor whose it is. */
const COVER = writePage({
  title: 'A secure link',
  mark: { icon: 'lock' },
  content: html`
<p>Open it in your browser to read your message.</p>
<p lang="es">Abra este enlace seguro en su navegador para leer lo que es para usted.</p>`,
});

/**
 * Sends programs that make previews of links a cover, and browsers that look ahead nothing, since they request the page again when it is
 * really opened. So nobody who only looks opens, counts, audits or sees anything.
 */
export function coverPreviews(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading || !unreadableLinks.addresses.test(request.url)) return;
    if (isPrefetch(request)) await reply.code(204).send();
    else if (PREVIEWERS.test(request.headers['user-agent'] ?? ''))
      await reply.header('vary', 'user-agent').type('text/html; charset=utf-8').send(COVER);
  });
}

const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|preview/i.test(String(headers[name] ?? '')));
