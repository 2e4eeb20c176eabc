import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { LANGUAGES, type Language } from '../../../domain/values/languages.ts';
import { formatPhone } from '../../../domain/values/phone-numbers.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import { html } from '../../html.ts';
import { icon } from '../content/icon.ts';
import { LANGUAGE_NAMES, PAGE_WORDS } from './page-words.ts';

/** Links to a page in its other languages, each by its own name. @param address of the page, without a query */
const languageSwitch = (address: string, language: Language): string =>
  LANGUAGES.filter((other) => other !== language)
    .map(
      (other) =>
        html`<a class="language-switch" href="${inLanguage(address, other)}" hreflang="${other}" lang="${other}"><span class="language-name">${LANGUAGE_NAMES[other]}</span><span class="language-code" aria-hidden="true">${other.toUpperCase()}</span></a>`,
    )
    .join('');

export type PracticeHeader = Pick<LinkPractice, 'id' | 'name' | 'phone' | 'look' | 'reader'>;

export interface Header {
  practice: PracticeHeader | null;
  language: Language;
  /** Of the page; absent where it cannot be opened in another language. */
  address?: string | undefined;
}

/**
 * The top of a page: the practice's mark and name, a switch of the language, and the telephone number as a link that dials. People of
 * the practice read their own name in its place.
 */
export const header = ({ practice, language, address }: Header): string => html`
<header class="page-header"><div class="page-header-inner">
!${practice === null ? '<span></span>' : practiceName(practice)}
<div class="page-header-end">!${address === undefined ? '' : languageSwitch(address, language)}!${practice === null ? '' : renderEnd(practice, language)}</div>
</div></header>`;

/** The mark and the name. A wide logo has the name in it, and stands alone. `<span class="practice">` */
export function practiceName({ id, name, look: { logo } }: PracticeHeader): string {
  if (logo === null)
    return html`<span class="practice"><span class="practice-mark" aria-hidden="true">${toInitials(name)}</span><span>${name}</span></span>`;
  const isWide = logo.width > 2 * logo.height;
  const image = html`<img class="practice-logo" src="/assets/logos/${id}/${logo.hash}.png" width="${logo.width}" height="${logo.height}" alt="${isWide ? name : ''}">`;
  return html`<span class="practice">!${image}!${isWide ? '' : html`<span>${name}</span>`}</span>`;
}

/** The bottom of a page. @param content markup made by `html` */
export const footer = (content: string): string =>
  html`<footer class="page-footer"><div class="page-footer-inner"><div class="stack">!${content}</div></div></footer>`;

function renderEnd({ reader, phone }: PracticeHeader, language: Language): string {
  if (reader !== undefined)
    return html`<span class="header-reader"><span class="visually-hidden">${PAGE_WORDS[language].signedInAs} </span><bdi>${reader}</bdi></span>`;
  return phone ? callButton(phone, language) : '';
}

const callButton = (phone: string, language: Language): string => html`
<a class="button plain header-call" href="tel:${phone}">!${icon('phone')}<span class="header-word">${PAGE_WORDS[language].call}</span><span class="header-number">${formatPhone(phone)}</span></a>`;

const FILLERS = new Set(['and', 'of', 'the', 'for', 'at', 'in']);

/** The first letters of the first and the last word of a name: `HP` of Hudson Family Practice. */
function toInitials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !FILLERS.has(word.toLowerCase()));
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  return chosen.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('');
}
