import type { Language } from '../../../domain/values/languages.ts';
import { html } from '../../html.ts';
import { callLink } from '../../links/call-link.ts';
import { PAGE_WORDS } from './page-words.ts';

/** A line that names the practice to call with a question, for the end of a page or of an error. Without a practice it cannot say a number. */
export const practiceContact = (practice: { name: string; phone: string | null } | null, language: Language): string =>
  practice === null
    ? html`<p>${PAGE_WORDS[language].numberIsInMessage}</p>`
    : html`<p>!${PAGE_WORDS[language].question(callLink(practice, language))}</p>`;

/** For pages on which a patient may wait for help, or tells how they are. To be written within a paragraph. */
export const emergencyCall = (language: Language): string =>
  html`<strong>!${PAGE_WORDS[language].emergency(html`<a href="tel:911">911</a>`)}</strong>`;
