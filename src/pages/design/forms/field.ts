import { html } from '../../html.ts';
import { icon } from '../content/icon.ts';
import { type Attributes, writeAttributes } from './attributes.ts';

export interface Field {
  /** Of the form field, and the id of its input. */
  name: string;
  label: string;
  /** Advice on filling in the field, below the label. */
  hint?: string | null;
  /** The reason for which the value was refused, below the hint. */
  error?: string | null;
  required?: boolean;
  /** Words after the label of a field that may be left out, such as `(optional)`. Absent where the form does not say. */
  optional?: string | undefined;
  /** A further class of the input. */
  inputClass?: string;
  /** Of the input, such as type, inputmode, autocomplete, maxlength, or another id. */
  attributes?: Attributes;
}

export interface Choice {
  value: string;
  label: string;
}

/** Holds a text on one line to a length. `maxlength` would cut off what is pasted, without a word. */
export const atMost = (length: number): Attributes => ({ pattern: `.{0,${length}}`, title: `At most ${length} characters` });

/** An input on one line. `<div class="field"><label class="label">…<input class="input">` */
export const textField = (field: Field & { value?: string }): string =>
  renderLabelled(
    field,
    html`<input!${writeAttributes({ class: listClasses(field), id: toFieldId(field), name: field.name, type: 'text', value: field.value ?? '', ...describeField(field), ...field.attributes })}>`,
  );

/** An input of several lines. */
export const textArea = (field: Field & { value?: string; rows?: number }): string =>
  renderLabelled(
    field,
    html`<textarea!${writeAttributes({ class: listClasses(field), id: toFieldId(field), name: field.name, rows: field.rows ?? 4, ...describeField(field), ...field.attributes })}>
${field.value ?? ''}</textarea>`,
  );

/** @param field.options markup of `<option>` and `<optgroup>` elements */
export const selectField = (field: Field & { options: string }): string =>
  renderLabelled(
    field,
    html`<select!${writeAttributes({ class: listClasses(field), id: toFieldId(field), name: field.name, ...describeField(field), ...field.attributes })}>!${field.options}</select>`,
  );

export const selectOptions = (choices: readonly Choice[], chosen = ''): string =>
  choices.map(({ value, label }) => html`<option value="${value}"!${value === chosen ? ' selected' : ''}>${label}</option>`).join('');

/**
 * One of several choices, as radio buttons that are pressed anywhere on their line. The first has the field's name as its id, so
 * that a summary of errors can link to it.
 * @param field.scale whether the choices are steps of a scale, beside each other
 */
export function choiceField(field: Field & { choices: readonly Choice[]; value?: string; scale?: boolean }): string {
  const buttons = field.choices.map(({ value, label }, index) => {
    const id = index === 0 ? toFieldId(field) : `${toFieldId(field)}-${index + 1}`;
    const input = writeAttributes({ type: 'radio', id, name: field.name, value, checked: field.value === value });
    return html`<label class="choice" for="${id}"><input!${input}> <span>${label}</span></label>`;
  });
  return html`
<fieldset class="choices" role="radiogroup"!${writeAttributes({ ...describeField(field) })}><legend class="label">!${renderLabel(field)}</legend>
!${hintAndError(field)}
<div class="options!${field.scale ? ' scale' : ''}">!${buttons.join('')}</div></fieldset>`;
}

/** A box that is checked or not; checked, the form has the value `yes`. */
export function checkField({
  name,
  label,
  error = null,
  isChecked,
  attributes = {},
}: Pick<Field, 'name' | 'label' | 'error' | 'attributes'> & { isChecked: boolean }): string {
  const field = { name, label, error, attributes };
  const id = toFieldId(field);
  const input = writeAttributes({ type: 'checkbox', id, name, value: 'yes', checked: isChecked, ...describeField(field), ...attributes });
  const box = html`<label class="choice" for="${id}"><input!${input}> <span>${label}</span></label>`;
  return error === null ? box : html`<div class="field">!${hintAndError(field)}!${box}</div>`;
}

const listClasses = ({ inputClass }: Field): string => (inputClass === undefined ? 'input' : `input ${inputClass}`);

const toFieldId = ({ name, attributes }: Field): string => (typeof attributes?.id === 'string' ? attributes.id : name);

/** Names the hint and the error, which screen readers read after the label. */
function describeField(field: Field): Attributes {
  const id = toFieldId(field);
  const ids = [field.hint ? `${id}-hint` : '', field.error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return {
    'aria-describedby': ids === '' ? undefined : ids,
    'aria-invalid': field.error ? 'true' : undefined,
    'aria-required': field.required ? 'true' : undefined,
  };
}

const renderLabel = ({ label, optional }: Field): string => html`${label}!${optional ? html` <span class="hint">${optional}</span>` : ''}`;

const hintAndError = (field: Field): string => html`
!${field.hint ? html`<p class="hint" id="${toFieldId(field)}-hint">${field.hint}</p>` : ''}
!${field.error ? html`<p class="field-error" id="${toFieldId(field)}-error">!${icon('danger')}<span>${field.error}</span></p>` : ''}`;

const renderLabelled = (field: Field, input: string): string => html`
<div class="field"><label class="label" for="${toFieldId(field)}">!${renderLabel(field)}</label>
!${hintAndError(field)}
!${input}</div>`;
