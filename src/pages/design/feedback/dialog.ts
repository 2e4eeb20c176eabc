import { html } from '../../html.ts';
import { button } from '../forms/button.ts';

export interface Dialog {
  id: string;
  heading: string;
  /** Markup made by `html`. */
  content?: string;
  /** Markup of the buttons, made by `html`; see `closeButton`. For a script, the value of the pressed one is the answer. */
  buttons: string;
  /** Whether a button with `popovertarget` and the id opens it, without a script. A script calls `showModal()`. */
  isPopover?: boolean;
}

/** A question before what cannot be taken back. Escape closes it. `<dialog class="dialog"><form method="dialog">` */
export const dialog = ({ id, heading, content = '', buttons, isPopover = false }: Dialog): string => html`
<dialog id="${id}" class="dialog"${isPopover ? ' popover' : ''} aria-labelledby="${id}-heading">
<form method="dialog">
<h2 id="${id}-heading">${heading}</h2>
!${content}
<div class="dialog-actions">!${buttons}</div>
</form>
</dialog>`;

/** Closes a dialog that opens without a script. @param id of the dialog */
export const closeButton = (id: string, label = 'Cancel'): string =>
  button({ label, kind: 'plain', type: 'button', attributes: { popovertarget: id, popovertargetaction: 'hide' } });
