import type { KINDS } from './kinds.ts';

/** The kind of a field: what it may hold, and how it is stored. */
export type Kind = keyof typeof KINDS;

/** The APIs that show records in names of their own. */
export const RECORD_APIS = ['integration', 'practice', 'mobile'] as const;
export type RecordApi = (typeof RECORD_APIS)[number];

/**
 * A field of a record, under the domain's name. An API that has no name for it does not show it; `address.city` is the field `city` of the
 * object `address`.
 */
export interface Field extends Readonly<Partial<Record<RecordApi, string>>> {
  readonly kind: Kind;
  /** The sentence that describes it in the documents of the APIs. */
  readonly means: string;
  /** Characters of a text at most, where its kind allows others. */
  readonly longest?: number;
  /** The column, where it is not the name in snake case. */
  readonly column?: string;
  /** APIs that show it and do not take it. */
  readonly readOnlyIn?: readonly RecordApi[];
  /** Names in imported files beside those of the APIs. */
  readonly headers?: readonly string[];
}
export type Fields = Readonly<Record<string, Field>>;

/** The name of a field in an API: `never` where the API does not take it, and for a field of an object within the record. */
type NameIn<F, A extends RecordApi> = F extends { readonly readOnlyIn: readonly A[] }
  ? never
  : F extends { readonly [P in A]: infer N extends string }
    ? N extends `${string}.${string}`
      ? never
      : N
    : never;

/** The same of a field within an object of the record. */
type NameWithin<F, A extends RecordApi, O extends string> = F extends { readonly [P in A]: `${O}.${infer N}` } ? N : never;

/** Names in an API by the domain's. */
export type Names<R extends Fields, A extends RecordApi> = {
  readonly [F in keyof R as NameIn<R[F], A> extends never ? never : F]: NameIn<R[F], A>;
};
export type NamesWithin<R extends Fields, A extends RecordApi, O extends string> = {
  readonly [F in keyof R as NameWithin<R[F], A, O> extends never ? never : F]: NameWithin<R[F], A, O>;
};

/** The fields that an API shows, also within objects, by the domain's names. */
export type ShownIn<R extends Fields, A extends RecordApi> = {
  [F in keyof R & string]: R[F] extends { readonly [P in A]: string } ? F : never;
}[keyof R & string];

/** Names of the fields of some kinds. */
export type FieldsOf<R extends Fields, K extends Kind> = { [F in keyof R & string]: R[F]['kind'] extends K ? F : never }[keyof R & string];

/** The fields that an API takes, by the domain's names: the name in the API of each. */
export function namesIn<R extends Fields, A extends RecordApi>(fields: R, api: A): Names<R, A>;
export function namesIn(fields: Fields, api: RecordApi): Record<string, string> {
  const taken = Object.entries(fields).filter(([, { readOnlyIn }]) => !readOnlyIn?.includes(api));
  return Object.fromEntries(taken.flatMap(([field, { [api]: name }]) => (name === undefined || name.includes('.') ? [] : [[field, name]])));
}

/** The same of the fields within an object of the record. */
export function namesWithin<R extends Fields, A extends RecordApi, O extends string>(fields: R, api: A, object: O): NamesWithin<R, A, O>;
export function namesWithin(fields: Fields, api: RecordApi, object: string): Record<string, string> {
  const start = `${object}.`;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, { [api]: name }]) => (name?.startsWith(start) ? [[field, name.slice(start.length)]] : [])),
  );
}

/** The fields that an API shows, also within objects. */
export function shownIn<R extends Fields, A extends RecordApi>(fields: R, api: A): ShownIn<R, A>[];
export function shownIn(fields: Fields, api: RecordApi): string[] {
  return Object.keys(fields).filter((field) => fields[field]?.[api] !== undefined);
}

/** The sentence of each field that an API shows, by its name there; of two with one name, the first. */
export function meaningsIn(fields: Fields, api: RecordApi): Record<string, string> {
  const shown = Object.values(fields).flatMap(({ [api]: name, means }) =>
    name === undefined || name.includes('.') ? [] : [[name, means]],
  );
  return Object.fromEntries(shown.toReversed());
}

/** `primaryOfficeId` is `primary_office_id`: the name of a field for readers outside, and of most columns. */
export const snakeCase = (field: string): string => field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The column of a field. */
export const columnOf = (field: string, { column }: Field): string => column ?? snakeCase(field);

/** The names of the fields of these kinds. */
export function fieldsOf<R extends Fields, K extends Kind>(fields: R, ...kinds: readonly K[]): FieldsOf<R, K>[];
export function fieldsOf(fields: Fields, ...kinds: readonly Kind[]): string[] {
  return Object.entries(fields).flatMap(([field, { kind }]) => (kinds.includes(kind) ? [field] : []));
}
