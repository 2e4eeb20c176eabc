import { callLink } from '../call-link.ts';
import { html } from '../html.ts';

/** A line that names the practice to call with a question, for the end of a page or of an error. Without a practice it cannot say a number. */
export const practiceContact = (practice: { name: string; phone: string | null } | null): string =>
  practice === null
    ? html`<p>The telephone number of your practice is in the text or the mail that the link came with.</p>`
    : html`<p>If you have a question, please !${callLink(practice)}.</p>`;

/** For pages on which a patient may wait for help, or tells how they are. To be written within a paragraph. */
export const EMERGENCY = html`<strong>In an emergency, call <a href="tel:911">911</a>.</strong>`;
