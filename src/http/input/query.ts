import { z } from 'zod';
import type { Issue } from '../../domain/errors.ts';
import { isBlank } from '../../domain/values/text-form.ts';
import { contradiction } from '../wire/checked-shapes.ts';
import { toSentShape } from './ignored-fields.ts';

export interface Parameters {
  /** Values under the names of the shape. */
  known: Record<string, unknown>;
  /** The name by which a known parameter was sent, where it was another one. */
  sentAs: ReadonlyMap<string, string>;
  /** Names that the shape does not have. */
  unknown: string[];
  /** Parameters that the shape does not have, and that are not refused. */
  further: Record<string, unknown>;
  /** Parameters that were sent several times and take one value, names of one parameter with different values, and unknown names. */
  issues: Issue[];
}

/** Gives a query parameter other names, by which it may be sent too, and which the document lists. */
export const alsoNamed = <T extends z.ZodType>(shape: T, ...otherNames: string[]): T => shape.meta({ otherNames });

/** A parameter or a field of a body that is another name of one beside it, which alone the document shows and which mentions it. */
export const sameAs = <T extends z.ZodType>(shape: T, name: string): T => shape.meta({ sameAs: name });

/** The other names of a parameter that filters by the id of a thing: `patient`, `patient_id` and `patient_uuid` are one. */
export const filterNames = (thing: string): string[] => [thing, `${thing}_id`, `${thing}_uuid`];

const metadata = z.object({ otherNames: z.array(z.string()).default([]) });

/** The names of each parameter of a query beside its own: those that it was given, and for a list `user[]` the name without brackets. */
export function otherNames(shape: unknown): ReadonlyMap<string, string[]> {
  const object = shape instanceof z.ZodType ? toSentShape(shape) : undefined;
  const parameters: [string, z.ZodType][] = object instanceof z.ZodObject ? Object.entries(object.shape) : [];
  const own = new Set(parameters.map(([name]) => name));
  return new Map(
    parameters.map(([name, one]) => {
      const names = [...metadata.parse(one.meta() ?? {}).otherNames, ...(isList(name) ? [name.slice(0, -2)] : [])];
      return [name, names.filter((other) => !own.has(other))];
    }),
  );
}

const isList = (name: string): boolean => name.endsWith('[]');

/** Values by the name in the shape, and by the name that was sent. */
type Values = Map<string, Map<string, unknown[]>>;

/**
 * Reads a query: all names of a parameter are one, for lists and filters also with brackets as in `user[]` and `user[0]`, and an
 * empty parameter counts as left out.
 * @param mayBeFurther unknown names that are not refused; any other would be a filter that is dropped
 */
export function readParameters(shape: z.ZodType, sent: unknown, mayBeFurther?: RegExp): Parameters {
  const names = listNames(shape);
  const values: Values = new Map();
  const unknown: string[] = [];
  const refused: string[] = [];
  const further: [string, unknown][] = [];
  const parameters: [string, unknown][] = typeof sent === 'object' && sent !== null ? Object.entries(sent) : [];
  for (const [spelling, value] of parameters) {
    const name = names.get(spelling.replace(INDEX, '[]'));
    const present = [value].flat().filter((one) => typeof one !== 'string' || !isBlank(one));
    if (name === undefined) {
      unknown.push(spelling);
      if (mayBeFurther?.test(spelling)) further.push([spelling, value]);
      else refused.push(spelling);
    } else if (present.length > 0) values.set(name, (values.get(name) ?? new Map<string, unknown[]>()).set(spelling, present));
  }
  const known = [...values].map(([name, spellings]) => [name, readGivenValue(name, spellings)]);
  const sentAs = [...values].flatMap(([name, spellings]) => [...spellings.keys()].slice(0, 1).map((spelling) => [name, spelling] as const));
  return {
    known: Object.fromEntries(known),
    sentAs: new Map(sentAs),
    unknown,
    further: Object.fromEntries(further),
    issues: [...repetitions(values), ...contradictions(values), ...(refused.length > 0 ? refusals(shape, refused) : [])],
  };
}

const INDEX = /\[\d{1,4}\]$/;

/** All values of a list; the first value of anything else, of which further ones are refused. */
function readGivenValue(name: string, spellings: ReadonlyMap<string, unknown[]>): unknown {
  if (isList(name)) return [...spellings.values()].flat();
  const [first = []] = spellings.values();
  return first[0];
}

/** A parameter that takes one value, sent several times under one name. */
function repetitions(values: Values): Issue[] {
  const repeated = [...values].flatMap(([name, spellings]) => (isList(name) ? [] : [...spellings].filter(([, sent]) => sent.length > 1)));
  return repeated.map(([field]) => ({ field, ...SENT_TWICE }));
}

const SENT_TWICE = { code: 'sent_twice', message: 'was sent more than once, but accepts one value' };

/**
 * Reads a form: a list that is a field of the shape may be written as `race`, `race[]` and `race[0]`, also mixed and repeated, and is
 * then one list: values with an index in the order of the indices, after the others. Any other field stays as it was sent, and has an
 * issue where the shape knows it and it was sent several times.
 */
export function readForm(shape: z.ZodType, sent: unknown): Pick<Parameters, 'sentAs' | 'issues'> & { body: unknown } {
  const { lists, others } = formFields(shape);
  const sentAs = new Map<string, string>();
  if (typeof sent !== 'object' || sent === null) return { body: sent, sentAs, issues: [] };
  const fields = new Map<string, unknown[]>();
  const byIndex = Object.entries(sent).sort(([one], [other]) => readIndex(one) - readIndex(other));
  for (const [spelling, value] of byIndex) {
    const name = spelling.replace(BRACKETS, '');
    const isKnown = lists.has(name);
    const field = isKnown ? name : spelling;
    if (isKnown && !sentAs.has(name)) sentAs.set(name, spelling);
    const values = fields.get(field) ?? [];
    values.push(...[value].flat());
    fields.set(field, values);
  }
  const repeated = [...fields].filter(([name, values]) => others.has(name) && values.length > 1);
  const body = Object.fromEntries([...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
  return { body, sentAs, issues: repeated.map(([field]) => ({ field, ...SENT_TWICE })) };
}

const BRACKETS = /\[\d{0,4}\]$/;

const readIndex = (spelling: string): number => Number(/\[(\d{1,4})\]$/.exec(spelling)?.[1] ?? -1);

/** The fields of a shape that are lists, and its other ones. */
interface FormFields {
  lists: ReadonlySet<string>;
  others: ReadonlySet<string>;
}

const formFields = onceForShape((shape): FormFields => {
  const object = toSentShape(shape);
  const fields: [string, z.core.$ZodType][] = object instanceof z.ZodObject ? Object.entries(object.shape) : [];
  const lists = new Set(fields.filter(([, field]) => toSentShape(field) instanceof z.ZodArray).map(([name]) => name));
  const others = new Set(fields.map(([name]) => name).filter((name) => !lists.has(name)));
  return { lists, others };
});

function refusals(shape: z.ZodType, unknown: readonly string[]): Issue[] {
  const known = [...otherNames(shape).keys()];
  const message = known.length === 0 ? 'is unknown: this operation takes no parameters' : `is unknown; known are ${known.join(', ')}`;
  return unknown.map((field) => ({ field: field.toWellFormed(), code: 'unknown_parameter', message }));
}

function contradictions(values: Values): Issue[] {
  return [...values].flatMap(([name, spellings]) => {
    const differ = !isList(name) && new Set([...spellings.values()].map((sent) => JSON.stringify(sent))).size > 1;
    return differ ? contradiction([...spellings.keys()]) : [];
  });
}

/** The parameter of each name that a request may use. */
const listNames = onceForShape((shape): ReadonlyMap<string, string> => {
  const all = [...otherNames(shape)];
  const addBrackets = (name: string) => (isList(name) ? name : `${name}[]`);
  return new Map([
    ...all.flatMap(([name, others]) =>
      others.flatMap((other) => [other, addBrackets(other), addBrackets(name)].map((one) => [one, name] as const)),
    ),
    ...all.map(([name]) => [name, name] as const),
  ]);
});

/** A function that computes a fact about a shape at its first request. Shapes are made once, at the start. */
function onceForShape<T extends object>(compute: (shape: z.ZodType) => T): (shape: z.ZodType) => T {
  const known = new WeakMap<z.ZodType, T>();
  return (shape) => {
    const found = known.get(shape) ?? compute(shape);
    known.set(shape, found);
    return found;
  };
}
