import { html } from '../../html.ts';
import { button } from '../forms/button.ts';

export const COPY_SCRIPT = '/assets/client/copy.ts';

export interface Copyable {
  /** Of the text on the page. */
  id: string;
  /** Names the text. */
  term: string;
  text: string;
}

/** Texts that are carried elsewhere, each with a button that copies it; COPY_SCRIPT shows the buttons. `<dl class="copyables">` */
export const copyables = (texts: readonly Copyable[]): string =>
  html`<dl class="copyables">!${texts
    .map(
      ({ id, term, text }) => html`
<dt>${term}</dt><dd class="row"><code id="${id}">${text}</code>!${button({ label: 'Copy', kind: 'plain', type: 'button', attributes: { 'data-copy': id, 'aria-describedby': id, hidden: true } })}</dd>`,
    )
    .join('')}</dl>`;
