import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { notFound } from '../../domain/errors.ts';
import type { Dialect } from '../../http/endpoints/dialect.ts';
import { readErrorTable } from '../../http/errors/error-table.ts';
import { readInput } from '../../http/input/input.ts';
import { referencePage } from '../../http/openapi/reference-page.ts';
import { type StaticContent, sendStatic, staticContent } from '../../http/requests/compression.ts';
import type { Limits } from '../../http/requests/limits.ts';
import { readOrigin } from '../../http/wire/links.ts';
import { text } from '../../http/wire/wire-types.ts';
import { servePageStyle } from '../assets/assets.ts';
import { PAGE_POLICY } from '../content-security-policy.ts';
import { writePage } from '../design/layout/page.ts';
import { sendFailurePage } from '../failures/failure-pages.ts';
import { html } from '../html.ts';
import { LONGEST_SEARCH, writeDocsIndex, writeLlmsText, writeSearch } from './docs-index.ts';
import { GUIDES, projectFile, resolveLink } from './guides.ts';
import { renderMarkdown } from './markdown.ts';
import { describeOperation } from './operations.ts';
import { siteFiles } from './site-files.ts';

const SearchQuery = z.object({ search: text(LONGEST_SEARCH).optional().catch(undefined) });
/** The guides name this server so. */
const EXAMPLE_ORIGIN = /http:\/\/127\.0\.0\.1:3000/g;

interface DocsDeps {
  config: Pick<Config, 'TRIPTYCH_DOCS'>;
  limits: Limits;
  dialects: readonly Dialect[];
}

/** The guides, the page of each code and of each operation, as HTML and, with `.md` at the end, as Markdown; made when somebody asks. */
export async function docsPages(app: FastifyInstance, { config, limits, dialects }: DocsDeps): Promise<void> {
  siteFiles(app);
  if (config.TRIPTYCH_DOCS === 'off') return;
  referencePage(app, dialects);
  await app.register((scope) => guides(scope, limits));
}

async function guides(app: FastifyInstance, limits: Limits): Promise<void> {
  const kept = new Map<string, Promise<StaticContent>>();
  await servePageStyle(app, 'docs.css');
  app.setErrorHandler(sendFailurePage);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' });
    await limits.spend('address', request, reply);
  });

  /** Sends what is kept of an address, made for its first reader. */
  async function send(address: string, request: FastifyRequest, reply: FastifyReply, make: () => Promise<string>): Promise<FastifyReply> {
    const found = kept.get(address) ?? keep(await make());
    kept.set(address, found);
    return sendStatic(request, reply, await found);
  }
  const sendPage = (address: string, request: FastifyRequest, reply: FastifyReply, read: () => Promise<string | null>) => {
    const isMarkdown = address.endsWith('.md');
    reply.type(`${isMarkdown ? 'text/markdown' : 'text/html'}; charset=utf-8`).header('x-robots-tag', 'noindex');
    return send(address, request, reply, async () => {
      const text = await read();
      if (text === null) throw notFound('page');
      const own = text.replaceAll(EXAMPLE_ORIGIN, readOrigin(request));
      return isMarkdown ? own : renderDocsPage(own, address);
    });
  };

  app.get('/docs', async (request, reply) => {
    const { search = '' } = readInput(SearchQuery, request.query);
    reply.type('text/html; charset=utf-8');
    return search === '' ? send('/docs', request, reply, writeDocsIndex) : reply.send(await writeSearch(search));
  });
  app.get('/llms.txt', (request, reply) =>
    send('/llms.txt', request, reply.type('text/plain; charset=utf-8'), () => writeLlmsText(readOrigin(request))),
  );
  app.get<{ Params: { page: string } }>('/docs/:page', (request, reply) => {
    const { page } = request.params;
    return sendPage(`/docs/${page}`, request, reply, () => readGuide(stripExtension(page)));
  });
  app.get<{ Params: { code: string } }>('/docs/errors/:code', (request, reply) => {
    const { code } = request.params;
    return sendPage(`/docs/errors/${code}`, request, reply, async () => describeCode(stripExtension(code)));
  });
  app.get<{ Params: { api: string; operation: string } }>('/docs/operations/:api/:operation', (request, reply) => {
    const { api, operation } = request.params;
    return sendPage(`/docs/operations/${api}/${operation}`, request, reply, () => describeOperation(api, stripExtension(operation)));
  });
}

const stripExtension = (name: string): string => name.replace(/\.md$/, '');

const keep = (text: string): Promise<StaticContent> => {
  const content = Buffer.from(text);
  return staticContent(async () => content);
};

async function readGuide(slug: string): Promise<string | null> {
  const guide = GUIDES.find((one) => one.slug === slug);
  return guide ? readFile(projectFile(guide.file), 'utf8') : null;
}

function describeCode(code: string): string | null {
  const entry = readErrorTable().get(code);
  if (!entry) return null;
  const { statuses, meaning, causes, remedy } = entry;
  const status = statuses.length === 0 ? 'The code of a field.' : `Status ${statuses.join(' or ')}.`;
  return `# \`${code}\`\n\n${status} ${meaning}\n\n## Causes\n\n${causes}\n\n## What to do\n\n${remedy}\n\n[All errors](/docs/errors)\n`;
}

/** A page out of Markdown; its first line is the title. */
function renderDocsPage(text: string, address: string): string {
  const [first = '', ...rest] = text.split('\n');
  return writePage({
    title: first.replace(/^# /, '').replaceAll('`', ''),
    layout: 'wide',
    style: '/assets/docs.css',
    back: { href: '/docs', label: 'Documentation' },
    content: html`<div class="card stack prose">!${renderMarkdown(rest.join('\n'), resolveLink)}</div>`,
    foot: html`<p><a href="${address}.md">This page as Markdown</a></p>`,
  });
}
