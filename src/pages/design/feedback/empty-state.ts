import { html } from '../../html.ts';
import { type IconName, icon } from '../content/icon.ts';

export interface EmptyState {
  icon: IconName;
  /** Says which things are missing. */
  title: string;
  /** When there will be some, or what one can do. */
  text?: string;
  /** Markup of buttons. */
  actions?: string;
}

/** The replacement of a list that is empty. `<div class="empty-state">` */
export const emptyState = ({ icon: name, title, text, actions }: EmptyState): string => html`
<div class="empty-state">!${icon(name)}
<h2>${title}</h2>
!${text === undefined ? '' : html`<p class="hint">${text}</p>`}
!${actions === undefined ? '' : html`<div class="row">!${actions}</div>`}</div>`;
