import { html } from '../../html.ts';
import { type IconName, icon } from '../content/icon.ts';
import { type Attributes, writeAttributes } from './attributes.ts';

/** The primary one is the next step, of which a screen has one; danger is for what cannot be taken back. */
export type ButtonKind = 'primary' | 'plain' | 'danger';

interface ButtonLook {
  label: string;
  /** Primary where absent. */
  kind?: ButtonKind;
  /** Before the label. */
  icon?: IconName;
  /** As wide as its column. */
  wide?: boolean;
  /** Such as id, name, value, disabled, popovertarget. */
  attributes?: Attributes;
}

/** `<button class="button">`. @param look.type submit where absent */
export const button = ({ type = 'submit', ...look }: ButtonLook & { type?: 'submit' | 'button' }): string =>
  html`<button type="${type}" class="${listClasses(look)}"!${writeAttributes(look.attributes ?? {})}>!${renderLabel(look)}</button>`;

/** `<a class="button">`: an address that is opened, in the shape of a button. */
export const linkButton = ({ href, ...look }: ButtonLook & { href: string }): string =>
  html`<a href="${href}" class="${listClasses(look)}"!${writeAttributes(look.attributes ?? {})}>!${renderLabel(look)}</a>`;

const listClasses = ({ kind = 'primary', wide = false }: ButtonLook): string =>
  ['button', kind === 'primary' ? '' : kind, wide ? 'wide' : ''].filter(Boolean).join(' ');

const renderLabel = ({ label, icon: name }: ButtonLook): string =>
  name === undefined ? html`${label}` : html`!${icon(name)}<span>${label}</span>`;
