import { LANGUAGES, type Language } from '../../../domain/values/languages.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import { html } from '../../html.ts';
import { LANGUAGE_NAMES } from './page-words.ts';

/** Links to a page in its other languages, each by its own name. @param address of the page, without a query */
export const languageSwitch = (address: string, language: Language): string =>
  LANGUAGES.filter((other) => other !== language)
    .map(
      (other) =>
        html`<a class="language-switch" href="${inLanguage(address, other)}" hreflang="${other}" lang="${other}"><span class="language-name">${LANGUAGE_NAMES[other]}</span><span class="language-code" aria-hidden="true">${other.toUpperCase()}</span></a>`,
    )
    .join('');
