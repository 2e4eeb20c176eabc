import { readFile } from 'node:fs/promises';
import { errorPagePath, readErrorTable } from '../../http/errors/error-table.ts';
import { documentPath } from '../../http/openapi/reference-page.ts';
import { card } from '../design/content/card.ts';
import { list } from '../design/content/list.ts';
import { button } from '../design/forms/button.ts';
import { textField } from '../design/forms/field.ts';
import { writePage } from '../design/layout/page.ts';
import { html } from '../html.ts';
import { GUIDES, type Guide, projectFile } from './guides.ts';
import { APIS, type Api, type ListedOperation, listOperations } from './operations.ts';

const guideRow = ({ slug, title, detail }: Guide) => ({ title, detail, href: `/docs/${slug}` });
const operationPath = (api: Api, { operationId }: ListedOperation): string => `/docs/operations/${api}/${operationId}`;
/** Characters of a search. */
export const LONGEST_SEARCH = 200;
const allOperations = () => Promise.all(APIS.map(async (api) => ({ api, ...(await listOperations(api)) })));

/** `/docs`: the guides and every operation, without a script. */
export async function writeDocsIndex(): Promise<string> {
  const apis = await allOperations();
  return writePage({
    title: 'Documentation',
    layout: 'wide',
    isIndexed: true,
    style: '/assets/docs.css',
    content: html`
!${searchForm('')}
<div class="grid">
!${card({ title: 'Guides', content: list(GUIDES.map(guideRow)) })}
<div>!${card({
      title: 'Reference',
      content: list([
        { title: 'Reference with a request form', href: '/docs/reference/', detail: 'Requires JavaScript' },
        ...[...APIS, 'webhooks' as const].map((name) => ({ title: `OpenAPI: ${name}`, href: documentPath(name) })),
        { title: 'llms.txt', href: '/llms.txt', detail: 'All pages as Markdown' },
      ]),
    })}</div>
</div>
!${apis.map(({ api, title, operations }) => card({ title, content: operationList(api, operations) })).join('\n')}`,
  });
}

const searchForm = (search: string): string => html`
<form class="search-form" method="get" action="/docs">
!${textField({ name: 'search', label: 'Search guides, operations and errors', value: search, attributes: { type: 'search', maxlength: LONGEST_SEARCH, autocomplete: 'off' } })}
!${button({ label: 'Search', kind: 'plain' })}
</form>`;

/** The guides, operations and errors that have all words, in whatever case. */
export async function writeSearch(search: string): Promise<string> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (...texts: string[]) => words.every((word) => texts.some((text) => text.toLowerCase().includes(word)));
  const guides = await Promise.all(GUIDES.map(async (guide) => ({ ...guide, text: await readFile(projectFile(guide.file), 'utf8') })));
  const found = [
    { title: 'Guides', rows: guides.filter(({ title, detail, text }) => has(title, detail, text)).map(guideRow) },
    ...(await allOperations()).map(({ api, title, operations }) => ({
      title,
      rows: operations
        .filter(({ summary, method, path, operationId, tag }) => has(summary, `${method} ${path}`, operationId, tag))
        .map((one) => ({ title: one.summary, detail: `${one.method} ${one.path}`, href: operationPath(api, one) })),
    })),
    {
      title: 'Errors',
      rows: [...readErrorTable()]
        .filter(([code, { meaning }]) => has(code, meaning))
        .map(([code, { meaning }]) => ({ title: code, detail: meaning.replaceAll('`', ''), href: errorPagePath(code) })),
    },
  ].filter(({ rows }) => rows.length > 0);
  return writePage({
    title: `Search: ${search}`,
    layout: 'wide',
    style: '/assets/docs.css',
    back: { href: '/docs', label: 'Documentation' },
    content: html`
!${searchForm(search)}
!${found.length === 0 ? card({ content: html`<p>Nothing contains all of these words.</p>` }) : found.map(({ title, rows }) => card({ title: `${title} (${rows.length})`, content: list(rows) })).join('')}`,
  });
}

const operationList = (api: Api, operations: readonly ListedOperation[]): string =>
  [...Map.groupBy(operations, ({ tag }) => tag)]
    .map(
      ([tag, found]) => html`<h3>${tag}</h3>
<ul class="operations">!${found
        .map((one) => html`<li><a href="${operationPath(api, one)}">${one.summary}</a> <code>${one.method} ${one.path}</code></li>`)
        .join('\n')}</ul>`,
    )
    .join('\n');

/** `/llms.txt` (llmstxt.org): the addresses of all pages as Markdown. */
export async function writeLlmsText(origin: string): Promise<string> {
  const apis = await allOperations();
  const guides = GUIDES.map(({ slug, title, detail }) => `- [${title}](${origin}/docs/${slug}.md): ${detail}`);
  const operations = apis.flatMap(({ api, title, operations: found }) => [
    '',
    `## ${title}`,
    '',
    `- [OpenAPI](${origin}${documentPath(api)})`,
    ...found.map((one) => `- [${one.summary}](${origin}${operationPath(api, one)}.md): ${one.method} ${one.path}`),
  ]);
  return [
    '# Triptych',
    '',
    '> Shared patient charts, three REST APIs, and a platform API for administrators of a practice.',
    '',
    '## Guides',
    '',
    ...guides,
    ...operations,
    '',
  ].join('\n');
}
