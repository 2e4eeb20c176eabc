import type { z } from 'zod';
import { invalid } from '../../errors.ts';
import { foldWords } from '../../values/same-text.ts';
import { DECISIONS, type Decision } from '../import-kinds.ts';
import { choice, optional } from './cells.ts';

/** Columns of a report, which are no fields when it is sent again. */
export const REPORT_COLUMNS = ['import_line', 'import_outcome', 'import_field', 'import_reason', 'import_patient'] as const;
const ON_MATCH = 'on_match';

/** Objects of NDJSON whose values are cells of the row. */
const NESTED = ['address', 'device'];

/** A name as it is compared: its letters and digits, whatever is between them. */
const plainName = (name: string): string => foldWords(name).replaceAll(' ', '');

/** Names of the file, and ours for them. */
export type Mapping = Readonly<Record<string, string>>;

/** The cells of a row by our names, with the name that the file has for each. */
interface Named {
  values: Record<string, unknown>;
  nameOf: (field: string) => string;
  decision: unknown;
}

export interface Headers {
  /** Gives the cells of a row our names. */
  read(cells: Record<string, unknown>): Named;
  /** Whether one of these names is that of a field. */
  knowsAny(names: readonly string[]): boolean;
  /** The cells of a row that are read: a report keeps no others, which may be secrets that no field takes. */
  kept(cells: Record<string, unknown>): Record<string, unknown>;
  /** Names of the file so far that are no field's. */
  ignored(): string[];
}

/**
 * The names that the rows of a kind may have: the domain's, and those of the APIs, in any case and with any separators; and before
 * them those of the mapping.
 * @throws Failure invalid for a mapping to a name that is no field's
 */
export function createHeaders(
  cells: z.ZodObject,
  words: Readonly<Record<string, readonly string[] | undefined>>,
  mapping: Mapping,
): Headers {
  const fields = Object.keys(cells.shape);
  const known = new Map(fields.flatMap((field) => [field, ...(words[field] ?? [])].map((name) => [plainName(name), field] as const)));
  known.set(plainName(ON_MATCH), ON_MATCH);
  for (const column of REPORT_COLUMNS) known.set(plainName(column), '');
  const mapped = new Map(
    Object.entries(mapping).map(([theirs, ours]) => {
      const field = ours === '' ? '' : known.get(plainName(ours));
      if (field === undefined)
        throw invalid('mapping', `has "${ours.slice(0, 100)}", which is none of ${fields.join(', ')}`, 'unknown_field');
      return [plainName(theirs), field] as const;
    }),
  );
  const ignored = new Set<string>();
  /** By the names of the file. */
  const resolved = new Map<string, string>();
  const fieldOf = (name: string): string => {
    const found = resolved.get(name);
    if (found !== undefined) return found;
    const plain = plainName(name);
    const field = mapped.get(plain) ?? known.get(plain);
    if (field === undefined && plain !== '' && ignored.size < MOST_IGNORED) ignored.add(name.slice(0, 100));
    if (resolved.size < MOST_NAMES) resolved.set(name, field ?? '');
    return field ?? '';
  };
  return {
    knowsAny: (names) => names.some((name) => fieldOf(name) !== ''),
    ignored: () => [...ignored],
    kept: (row) => Object.fromEntries(Object.entries(row).filter(([name]) => NESTED.includes(plainName(name)) || fieldOf(name) !== '')),
    read(row) {
      const values = new Map<string, unknown>();
      const names = new Map<string, string>();
      for (const [name, value] of flattened(row)) {
        const field = fieldOf(name);
        if (field === '' || (values.has(field) && (isEmpty(value) || !isEmpty(values.get(field))))) continue;
        values.set(field, value);
        names.set(field, name);
      }
      const decision = values.get(ON_MATCH);
      values.delete(ON_MATCH);
      return { values: Object.fromEntries(values), nameOf: (field) => names.get(field) ?? field, decision };
    },
  };
}

const MOST_IGNORED = 50;
const MOST_NAMES = 5_000;

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

function* flattened(row: Record<string, unknown>): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(row))
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && NESTED.includes(plainName(name)))
      yield* Object.entries(value);
    else yield [name, value];
}

const decisionCell = optional(choice<Decision>(...DECISIONS));

/** The decision of a row, and that of the file where it has none. @throws Failure invalid */
export function readDecision(sent: unknown, otherwise: Decision): Decision {
  const { data, error } = decisionCell.safeParse(sent);
  if (error) throw invalid(ON_MATCH, error.issues[0]?.message ?? 'must be one of skip, update, create');
  return data ?? otherwise;
}
