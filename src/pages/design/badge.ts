import { html } from '../html.ts';

export type BadgeKind = 'quiet' | 'accent' | 'success' | 'warning' | 'danger';

/** A state in one or two words. `<span class="badge success">` */
export const badge = (label: string, kind: BadgeKind = 'quiet'): string =>
  html`<span class="badge${kind === 'quiet' ? '' : ` ${kind}`}">${label}</span>`;
