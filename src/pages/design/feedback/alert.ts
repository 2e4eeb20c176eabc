import { html } from '../../html.ts';
import { icon } from '../content/icon.ts';
import { type Attributes, writeAttributes } from '../forms/attributes.ts';

export type AlertKind = 'info' | 'success' | 'warning' | 'danger';

export interface Alert {
  kind: AlertKind;
  title?: string;
  /** Markup made by `html`. */
  content: string;
  /** Such as id, role (alert is read at once, status when there is time), hidden. */
  attributes?: Attributes;
}

/** The reason for which a form was refused. It has the focus unless a field that is marked has it. */
export const refused = (reason: string, isMarked = false): string => {
  const attributes = { role: 'alert', ...(isMarked ? {} : { tabindex: -1, autofocus: true }) };
  return alert({ kind: 'danger', content: html`<p>${reason}</p>`, attributes });
};

/** A message about an event, with an icon of its kind. `<div class="alert danger"><svg/><div class="alert-text">` */
export const alert = ({ kind, title, content, attributes = {} }: Alert): string => html`
<div class="alert${kind === 'info' ? '' : ` ${kind}`}"!${writeAttributes(attributes)}>!${icon(kind)}<div class="alert-text">
!${title === undefined ? '' : html`<h2>${title}</h2>`}
!${content}</div></div>`;
