import { html } from '../../html.ts';
import { type IconName, icon } from './icon.ts';

export interface ListItem {
  title: string;
  /** At the start of the line. */
  icon?: IconName;
  /** Address that the title opens. */
  href?: string;
  /** Whether the address is saved as a file. */
  download?: boolean;
  /** Below the title, in a quiet colour. */
  detail?: string;
  /** Markup at the end of the line: a badge, or buttons. */
  end?: string;
}

/** Records below each other, with a line between them. `<ul class="list">` */
export const list = (items: readonly ListItem[]): string => html`<ul class="list">!${items.map(writeItem).join('')}</ul>`;

const writeItem = (item: ListItem): string => html`
<li>!${item.icon === undefined ? '' : html`<span class="list-icon">!${icon(item.icon)}</span>`}<div class="list-text">!${renderTitle(item)}
!${item.detail === undefined ? '' : html`<span class="hint">${item.detail}</span>`}</div>!${item.end ?? ''}</li>`;

const renderTitle = ({ title, href, download = false }: ListItem): string =>
  href === undefined
    ? html`<bdi class="list-title">${title}</bdi>`
    : html`<bdi><a class="list-title" href="${href}"!${download ? ' download' : ''}>${title}</a></bdi>`;
