import { formatPhone } from '../domain/values/phone-numbers.ts';
import { html } from './html.ts';

/** `call Hudson Family Practice at (910) 555-0123`, with the number as a link that dials. */
export const callLink = ({ name, phone }: { name: string; phone: string | null }): string =>
  phone === null ? html`call ${name}` : html`call ${name} at <a href="tel:${phone}">${formatPhone(phone)}</a>`;
