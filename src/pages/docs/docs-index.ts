import { documentPath } from '../../http/openapi/reference-page.ts';
import { card } from '../design/content/card.ts';
import { list } from '../design/content/list.ts';
import { writePage } from '../design/layout/page.ts';
import { html } from '../html.ts';
import { GUIDES } from './guides.ts';
import { APIS, type Api, type ListedOperation, listOperations } from './operations.ts';

const operationPath = (api: Api, { operationId }: ListedOperation): string => `/docs/operations/${api}/${operationId}`;
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
<div class="grid">
!${card({ title: 'Guides', content: list(GUIDES.map(({ slug, title, detail }) => ({ title, detail, href: `/docs/${slug}` }))) })}
<div>!${card({
      title: 'Reference',
      content: list([
        { title: 'Reference with a form for requests', href: '/docs/reference/', detail: 'Needs scripts' },
        ...[...APIS, 'webhooks' as const].map((name) => ({ title: `OpenAPI: ${name}`, href: documentPath(name) })),
        { title: 'llms.txt', href: '/llms.txt', detail: 'All pages as Markdown' },
      ]),
    })}</div>
</div>
!${apis.map(({ api, title, operations }) => card({ title, content: operationList(api, operations) })).join('\n')}`,
  });
}

/** The operations of an API by tag. */
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
    '> One chart of patients, three REST APIs, and one for the administrators of a practice.',
    '',
    '## Guides',
    '',
    ...guides,
    ...operations,
    '',
  ].join('\n');
}
