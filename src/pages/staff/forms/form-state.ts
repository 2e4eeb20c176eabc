import type { Failure } from '../../../domain/errors.ts';
import type { Attributes } from '../../design/forms/attributes.ts';
import { html } from '../../html.ts';

/** The values of a form by the names of its fields: of a box `yes`, or an empty text where it is not checked. Never a secret. */
export type FormValues = Readonly<Record<string, string>>;

/** The code of the failure of a form whose record somebody else has changed since it was opened. */
export const CHANGED_MEANWHILE = 'changed_meanwhile';

export interface RefusedForm {
  /** The path that it was sent to. */
  action: string;
  sent: FormValues;
  /** The values with which the form was opened; null where it did not say. */
  seen: FormValues | null;
  failure: Failure;
}

interface FormInput {
  action: string;
  /** The values as they are saved now. Only these fields are filled in again. */
  present: FormValues;
  refused?: RefusedForm | undefined;
  /** Names of fields by the names, or the codes, that failures have for them where those differ. */
  aliases?: Readonly<Record<string, string>>;
  /** Plain sentences for whatever is wrong with a field, by its name. */
  reasons?: Readonly<Record<string, string>>;
  /** Words of the values of fields that are chosen. */
  words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The fields of a form: with the saved values, or as it was sent with the reasons for which it was refused. */
export interface FormState {
  action: string;
  /** Markup of the hidden field with the values that the form shows as saved. */
  seen: string;
  isRefused: boolean;
  /** Whether a reason stands beside a field. */
  isMarked: boolean;
  /** Name, value, error and attributes of a field; the first wrong one gets the focus. */
  field: (name: string, attributes?: Attributes) => { name: string; value: string; error: string | null; attributes: Attributes };
  /** The same of a box. */
  box: (name: string, attributes?: Attributes) => { name: string; isChecked: boolean; error: string | null; attributes: Attributes };
}

/** The state of a form on a page: as it was sent where this form was the refused one. */
export function formState(input: FormInput): FormState {
  const { action, present, refused } = input;
  const own = refused?.action === action ? refused : undefined;
  const errors: FormValues = own === undefined ? {} : writeErrors(input, own);
  const first = [...Object.keys(present), ...Object.keys(errors)].find((name) => errors[name] !== undefined);
  const findShownValue = (name: string) => (present[name] === undefined ? '' : ((own && typedIn(own, present, name)) ?? present[name]));
  const toFieldState = (name: string, attributes: Attributes) => ({
    name,
    error: errors[name] ?? null,
    attributes: { ...attributes, ...(name === first ? { autofocus: true } : {}) },
  });
  return {
    action,
    seen: html`<input type="hidden" name="seen" value="${JSON.stringify(present)}">`,
    isRefused: own !== undefined,
    isMarked: first !== undefined,
    field: (name, attributes = {}) => ({ ...toFieldState(name, attributes), value: findShownValue(name) }),
    box: (name, attributes = {}) => ({ ...toFieldState(name, attributes), isChecked: findShownValue(name) === 'yes' }),
  };
}

/** A value as it was typed. Where somebody else has changed the record, a field that this form did not change has the saved value. */
function typedIn({ sent, seen, failure }: RefusedForm, present: FormValues, name: string): string | undefined {
  const typed = sent[name] ?? '';
  return failure.code === CHANGED_MEANWHILE && typed === seen?.[name] ? present[name] : typed;
}

function writeErrors(
  { present, aliases = {}, reasons = {}, words = {} }: FormInput,
  { failure, seen, sent }: RefusedForm,
): Record<string, string> {
  if (failure.code === CHANGED_MEANWHILE) return describeConflicts({ present, seen: seen ?? {}, sent }, words);
  const byCode = aliases[failure.code];
  if (byCode !== undefined) return { [byCode]: failure.message };
  return Object.fromEntries(
    failure.issues.map(({ field, message }) => {
      const [named = field] = field.split('.');
      const name = aliases[named] ?? (present[named] === undefined ? snakeCase(named) : named);
      return [name, reasons[name] ?? toSentence(message)];
    }),
  );
}

/** The fields that somebody else changed, each with what they saved. */
function describeConflicts(
  { present, seen, sent }: { present: FormValues; seen: FormValues; sent: FormValues },
  words: NonNullable<FormInput['words']>,
): Record<string, string> {
  const changed = Object.entries(present).filter(([name, value]) => seen[name] !== value);
  return Object.fromEntries(
    changed.map(([name, value]) => {
      const saved = words[name]?.[value] ?? (value === '' ? 'nothing' : `“${value}”`);
      const isKept = (sent[name] ?? '') !== seen[name] && sent[name] !== value;
      return [name, `Somebody else has since saved ${saved} here.${isKept ? ' Your entries are kept, but not saved yet.' : ''}`];
    }),
  );
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `must be a number` → `Must be a number.` */
const toSentence = (message: string): string =>
  `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
