import { html } from '../html.ts';
import { button } from './button.ts';

export interface Dialog {
  id: string;
  title: string;
  /** Markup made by `html`. */
  content: string;
  /** Markup of the buttons that do something. The one that closes the dialog stands before them. */
  actions: string;
  /** Label of the button that closes the dialog. Cancel where absent. */
  close?: string;
}

/**
 * A question before what cannot be taken back. A button with `popovertarget` and the id opens it without a script; a script may
 * call `showModal()` instead, which also keeps the keyboard within it. Escape closes it either way.
 */
export const dialog = ({ id, title, content, actions, close = 'Cancel' }: Dialog): string => html`
<dialog class="dialog" id="${id}" popover aria-labelledby="${id}-title">
<div class="stack"><h2 id="${id}-title">${title}</h2>
!${content}</div>
<form method="dialog" class="dialog-actions">!${button({ label: close, kind: 'plain', attributes: { popovertarget: id, popovertargetaction: 'hide' } })}!${actions}</form>
</dialog>`;
