import type { FastifyReply } from 'fastify';
import type { Language } from '../../../domain/values/languages.ts';
import { addVersion } from '../../assets/asset-version.ts';
import { html } from '../../html.ts';
import { type IconName, icon } from '../content/icon.ts';
import { footer, header, type PracticeHeader } from './header.ts';
import { PAGE_WORDS } from './page-words.ts';

/** The head of a page, and what stands in its body. */
export interface PageDocument {
  /** Title of the window; the practice's name follows it. */
  title: string;
  /** The practice whose name, colour and logo the page shows; null or absent for a page of no practice. */
  practice?: PracticeHeader | null;
  /** The whole content of the body, made by `html`. */
  body: string;
  bodyClass?: string;
  /** Whether search engines may list it: pages about the software, and none about a practice. */
  isIndexed?: boolean;
  /** Address of a further style sheet. */
  style?: string;
  /** Address of the page's script, if it has one. */
  script?: string;
  /** Address that the browser opens by itself at once. Unlike a redirection after a form, it may be of another site. */
  onward?: string;
  /** Of the page's own words. English where absent: pages of staff and of developers. */
  language?: Language;
}

/** A document with the style sheets of the design and of its practice. It loads nothing but those, from this server. */
export const writeDocument = (document: PageDocument): string => html`<!doctype html>
<html lang="${document.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
!${document.isIndexed ? '' : html`<meta name="robots" content="noindex">`}
<meta name="color-scheme" content="light dark">
!${document.onward === undefined ? '' : html`<meta http-equiv="refresh" content="0;url=${document.onward}">`}
<title>${document.practice ? `${document.title} · ${document.practice.name}` : document.title}</title>
<link rel="icon" type="image/svg+xml" href="${addVersion('/assets/favicon.svg')}">
<link rel="stylesheet" href="${addVersion('/assets/design.css')}">
!${document.practice?.look.colour ? html`<link rel="stylesheet" href="${lookSheet(document.practice.look.colour)}">` : ''}
!${document.style ? html`<link rel="stylesheet" href="${addVersion(document.style)}">` : ''}
!${document.script ? html`<script type="module" src="${addVersion(document.script)}"></script>` : ''}
</head>
<body!${document.bodyClass ? html` class="${document.bodyClass}"` : ''}>
!${document.body}
</body>
</html>
`;

/** Address of the style sheet that sets the accent to a practice's colour. */
const lookSheet = (colour: string): string => addVersion(`/assets/look/${colour.slice(1)}.css`);

export interface Page extends Omit<PageDocument, 'body' | 'bodyClass'> {
  /** Markup made by `html`. In a card its parts stand below each other with one distance. */
  content: string;
  /** Card where absent: title and content in one card. Wide: the title on the ground, and content with cards of its own. */
  layout?: 'card' | 'wide';
  /** Markup of the footer. */
  foot?: string;
  /** The page that this one belongs to, above the title. */
  back?: { href: string; label: string };
  /** An icon above the title, where the page is one piece of news. */
  mark?: PageMark;
  /** Of the page without a query, where it can be opened in another language. */
  address?: string | undefined;
}

export interface PageMark {
  icon: IconName;
  kind?: 'success' | 'warning';
}

/** A page with the header of its practice, one main heading, and a footer. */
export const writePage = ({ content, layout = 'card', foot, back, mark, address, ...document }: Page): string =>
  writeDocument({
    ...document,
    ...(layout === 'wide' ? { bodyClass: 'page-wide' } : {}),
    body: html`
<a class="skip-link" href="#content">${PAGE_WORDS[document.language ?? 'en'].skip}</a>
!${renderHeader(document, address)}
<main id="content" class="page-content" tabindex="-1">
!${back === undefined ? '' : html`<a class="page-back" href="${back.href}">!${icon('back')}${back.label}</a>`}
!${
      layout === 'card'
        ? html`<div class="card stack">!${mark === undefined ? '' : writeMark(mark)}<h1>${document.title}</h1>
!${content}</div>`
        : html`<h1 class="page-title">${document.title}</h1>
!${content}`
    }
</main>
!${foot === undefined ? '' : footer(foot)}`,
  });

const renderHeader = ({ practice = null, language = 'en' }: Omit<PageDocument, 'body'>, address: string | undefined): string =>
  practice === null && address === undefined ? html`<div class="page-header"></div>` : header({ practice, language, address });

const writeMark = ({ icon: name, kind }: PageMark): string =>
  html`<div class="page-mark${kind === undefined ? '' : ` ${kind}`}">!${icon(name)}</div>`;

export const sendPage = (reply: FastifyReply, page: string): FastifyReply => reply.type('text/html; charset=utf-8').send(page);
