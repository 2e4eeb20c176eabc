import type { Language } from '../../domain/values/languages.ts';
import { formatPhone } from '../../domain/values/phone-numbers.ts';
import { PAGE_WORDS } from '../design/layout/page-words.ts';
import { html } from '../html.ts';

/** `call Hudson Family Practice at (910) 555-0123`, with the number as a link that dials. */
export const callLink = ({ name, phone }: { name: string; phone: string | null }, language: Language): string =>
  PAGE_WORDS[language].callAt(name, phone === null ? null : html`<a href="tel:${phone}">${formatPhone(phone)}</a>`);
