import { html } from '../../html.ts';
import { type IconName, icon } from '../content/icon.ts';

export type BadgeKind = 'quiet' | 'accent' | 'success' | 'warning' | 'danger';

/** A state in one or two words, also with an icon before them. `<span class="badge success">` */
export const badge = (label: string, kind: BadgeKind = 'quiet', name?: IconName): string =>
  html`<span class="badge${kind === 'quiet' ? '' : ` ${kind}`}">!${name === undefined ? '' : icon(name)}${label}</span>`;
