import { html } from '../html.ts';

/** Finds the address of a link on this server; null where its page is not served, and only its words are shown. */
type ResolveLink = (target: string) => string | null;

/** The markup of a guide: the part of Markdown that the guides use. */
export function renderMarkdown(text: string, resolve: ResolveLink): string {
  const lines = text.split('\n');
  const blocks: string[] = [];
  while (lines.length > 0) blocks.push(takeBlock(lines, resolve));
  return blocks.join('\n');
}

const LIST = /^ *(?:[-*]|\d+\.) +/;
const FENCE = /^ *```/;
const HEADING = /^(#{1,4}) (.*)$/;
const isBlank = (line: string): boolean => line.trim() === '';

/** Takes the lines of one block from the start. */
function takeBlock(lines: string[], resolve: ResolveLink): string {
  const line = lines.shift() ?? '';
  const [, marks = '', title = ''] = HEADING.exec(line) ?? [];
  if (isBlank(line)) return '';
  if (marks !== '') return heading(marks.length, title, resolve);
  if (FENCE.test(line)) {
    const code = takeWhile(lines, (next) => !FENCE.test(next)).join('\n');
    lines.shift();
    return html`<pre><code>${code}</code></pre>`;
  }
  if (line.startsWith('|')) return table([line, ...takeWhile(lines, (next) => next.startsWith('|'))], resolve);
  if (LIST.test(line))
    return renderList([line, ...takeWhile(lines, (next) => LIST.test(next) || (/^ +\S/.test(next) && !FENCE.test(next)))], resolve);
  const rest = takeWhile(lines, (next) => !isBlank(next) && !/^[|#]/.test(next) && !FENCE.test(next) && !LIST.test(next));
  return html`<p>!${inline([line, ...rest].join(' '), resolve)}</p>`;
}

function takeWhile(lines: string[], holds: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !holds(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

/** The address of a heading within its page, as repositories make it. */
const toSlug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function heading(level: number, title: string, resolve: ResolveLink): string {
  const content = inline(title, resolve);
  const id = toSlug(title);
  if (level === 1) return html`<h1 id="${id}">!${content}</h1>`;
  return level === 2 ? html`<h2 id="${id}">!${content}</h2>` : html`<h3 id="${id}">!${content}</h3>`;
}

const splitCells = (row: string): string[] =>
  row
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));

function table([head = '', , ...rows]: string[], resolve: ResolveLink): string {
  const labels = splitCells(head).map((cell) => html`<th scope="col">!${inline(cell, resolve)}</th>`);
  const body = rows.map(
    (row) =>
      html`<tr>!${splitCells(row)
        .map((cell) => html`<td>!${inline(cell, resolve)}</td>`)
        .join('')}</tr>`,
  );
  return html`<div class="table" role="region" aria-label="Table" tabindex="0"><table><thead><tr>!${labels.join('')}</tr></thead><tbody>!${body.join('\n')}</tbody></table></div>`;
}

function renderList(lines: readonly string[], resolve: ResolveLink): string {
  const items: string[] = [];
  for (const line of lines)
    if (LIST.test(line)) items.push(line.replace(LIST, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  const content = items.map((item) => html`<li>!${inline(item, resolve)}</li>`).join('\n');
  return /^ *\d/.test(lines[0] ?? '') ? html`<ol>!${content}</ol>` : html`<ul>!${content}</ul>`;
}

const INLINE = /(`+)(?<code>.+?)\1|\*\*(?<bold>.+?)\*\*|\[(?<label>[^\]]+)\]\((?<target>[^)\s]+)\)/g;

/** Code, bold text and links within a line. */
function inline(text: string, resolve: ResolveLink): string {
  let end = 0;
  const parts: string[] = [];
  for (const match of text.matchAll(INLINE)) {
    const { code, bold, label = '', target = '' } = match.groups ?? {};
    parts.push(html`${text.slice(end, match.index)}`);
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (bold === undefined) parts.push(link(inline(label, resolve), resolve(target)));
    else parts.push(html`<strong>!${inline(bold, resolve)}</strong>`);
    end = match.index + match[0].length;
  }
  return `${parts.join('')}${html`${text.slice(end)}`}`;
}

const link = (label: string, address: string | null): string => (address === null ? label : html`<a href="${address}">!${label}</a>`);
