import { html } from '../../html.ts';
import { type Attributes, writeAttributes } from '../forms/attributes.ts';

export interface Card {
  title?: string;
  /** Markup made by `html`; its parts stand below each other with one distance. */
  content: string;
  /** Below a line: when it ends, whom to ask. */
  foot?: string;
  attributes?: Attributes;
}

/** Content that belongs together, in front of the ground. `<section class="card stack">` */
export const card = ({ title, content, foot, attributes = {} }: Card): string => html`
<section class="card stack"!${writeAttributes(attributes)}>
!${title === undefined ? '' : html`<h2>${title}</h2>`}
!${content}
!${foot === undefined ? '' : html`<div class="card-foot hint">!${foot}</div>`}
</section>`;
