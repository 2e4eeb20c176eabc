import type { Fields, Kind } from './kind.ts';
import type { Path } from './references.ts';

export type PlannedKind = Pick<
  Kind,
  'name' | 'one' | 'names' | 'between' | 'references' | 'unordered' | 'compared' | 'fixed' | 'single' | 'whole'
>;

/** An item of the file. */
export interface Wanted {
  path: Path;
  key?: string | undefined;
  id?: number | undefined;
  remove?: boolean | undefined;
  fields: Fields;
}

/** An item of the record, whose references are names. */
export interface Recorded {
  id: number;
  key: string | null;
  /** The name by which others refer to it. */
  name: string;
  fields: Fields;
}

/** The items of each kind, by its name. */
export type Items<T> = ReadonlyMap<string, readonly T[]>;

export interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

export interface Step {
  kind: string;
  action: 'add' | 'change' | 'remove';
  /** Null for a new item. */
  id: number | null;
  name: string;
  /** The key that is kept from now on; null for none. */
  key: string | null;
  changes: Change[];
  path: Path;
}

/** A place of the file that cannot be applied. */
export interface Problem {
  path: Path;
  message: string;
}

export interface Plan {
  steps: Step[];
  problems: Problem[];
}

/** An item of the record or of the file, in its place after the plan. */
export interface Known {
  recorded: Recorded | null;
  wanted: Wanted | null;
  name: string;
  /** The natural name after the plan. */
  newName: string;
  /** The fields after the plan. */
  fields: Fields;
}

export const toItemName = ({ names, between = ' ' }: Pick<Kind, 'names' | 'between'>, fields: Fields): string =>
  names.flatMap((field) => (typeof fields[field] === 'string' ? [fields[field]] : [])).join(between);
