import { html } from '../../html.ts';
import { closeButton, dialog } from '../feedback/dialog.ts';
import { button } from './button.ts';

export interface ConfirmedButton {
  /** Of the dialog. */
  id: string;
  label: string;
  kind: 'plain' | 'danger';
  /** The question, such as `Sign Bo Ek out everywhere?` */
  question: string;
  /** Say what will happen. */
  words: string;
  /** The label of the button that leaves things as they are; `Cancel` unless given. */
  keep?: string;
  /** Of the form that is sent: the id of another one on the page, or the address of one without fields. */
  form: { id: string } | { action: string };
}

/** A button that asks first. It works without a script. */
export function confirmedButton({ id, label, kind, question, words, keep, form }: ConfirmedButton): string {
  const formId = 'id' in form ? form.id : `${id}-form`;
  return html`
!${'action' in form ? html`<form id="${formId}" method="post" action="${form.action}"></form>` : ''}
!${button({ label, kind, type: 'button', attributes: { popovertarget: id } })}
!${dialog({
    id,
    heading: question,
    content: html`<p>${words}</p>`,
    buttons:
      closeButton(id, keep) +
      button({ label, kind: kind === 'danger' ? 'danger' : 'primary', attributes: { form: formId, autofocus: true } }),
    isPopover: true,
  })}`;
}
