import type { z } from 'zod';
import { snakeCase } from '../../../records/field.ts';
import { invalid } from '../../errors.ts';
import { foldWords } from '../../values/same-text.ts';
import { DECISIONS, type Decision } from '../import-kinds.ts';
import { choice, optional } from './cells.ts';
import { type CellSealing, SECRETS } from './sealed-cells.ts';

/** Columns of a report, which are no fields when it is sent again. */
export const REPORT_COLUMNS = ['import_line', 'import_outcome', 'import_field', 'import_reason', 'import_patient'] as const;
const ON_MATCH = 'on_match';

/** Objects whose values are cells of the row, by the beginning of their names; in a table they are JSON. */
const NESTED: ReadonlyMap<string, string> = new Map([
  ['address', ''],
  ['device', ''],
  ['guardian', 'guardian'],
  ['policyholder', 'holder'],
  ['insured', 'insured'],
]);

/** A name as it is compared: its letters and digits, whatever is between them. */
const plainName = (name: string): string => foldWords(name).replaceAll(' ', '');

/** Names of the file, and ours for them. */
export type Mapping = Readonly<Record<string, string>>;

/** The cells of a row by our names, with the name that the file has for each. */
interface Named {
  values: Record<string, unknown>;
  findColumnName: (field: string) => string;
  decision: unknown;
}

export interface Headers {
  /** Gives the cells of a row our names. */
  read(cells: Record<string, unknown>): Named;
  /** @throws Failure invalid for names of a table of which two are the same, or none is a field's */
  requireColumns(names: readonly string[]): void;
  /** The cells of a row as they came, with secrets sealed, also those that may be some in columns that no field takes. */
  sealed(cells: Record<string, unknown>, sealing: CellSealing): Record<string, unknown>;
  /** Names of the file so far that are no field's. */
  ignored(): string[];
}

/**
 * The names that the rows of a kind may have: the domain's, and those of the APIs, in any case and with any separators; and before
 * them those of the mapping.
 * @throws Failure invalid for a mapping to a name that is no field's, and for one that gives a name, or a field, twice
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
  const mapped = readMapping(mapping, known, fields);
  const ignored = new Set<string>();
  /** By the names of the file. */
  const resolved = new Map<string, string>();
  const findField = (name: string): string => {
    const found = resolved.get(name);
    if (found !== undefined) return found;
    const plain = plainName(name);
    const field = mapped.get(plain) ?? known.get(plain);
    if (field === undefined && plain !== '' && ignored.size < MOST_IGNORED) ignored.add(name.slice(0, 100));
    if (resolved.size < MOST_NAMES) resolved.set(name, field ?? '');
    return field ?? '';
  };
  return {
    requireColumns(columns) {
      const plain = columns.map(plainName);
      const twice = columns.find((_, index) => plain[index] !== '' && plain.indexOf(plain[index] ?? '') !== index);
      if (twice !== undefined) throw invalid('file', `has the column ${twice.slice(0, 100)} twice`, 'twice');
      if (columns.every((name) => findField(name) === '')) throw invalid('file', 'has no field names: send a mapping', 'unknown_columns');
    },
    ignored: () => [...ignored],
    sealed: (row, sealing) => sealCells(row, findField, sealing),
    read(row) {
      const values: Record<string, unknown> = {};
      const names = new Map<string, string>();
      let decision: unknown;
      eachCell(row, (name, value) => {
        const field = findField(name);
        if (field === ON_MATCH) decision = isEmpty(decision) ? value : decision;
        else if (field !== '' && (!names.has(field) || (isEmpty(values[field]) && !isEmpty(value)))) {
          values[field] = value;
          names.set(field, name);
        }
      });
      return { values, findColumnName: (field) => names.get(field) ?? snakeCase(field), decision };
    },
  };
}

const sealCells = (row: Record<string, unknown>, findField: (name: string) => string, { seal, sealSsn }: CellSealing) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const field = findField(name);
      if (SECRETS.includes(field)) return [name, seal(value)];
      return [name, field !== '' || NESTED.has(plainName(name)) ? value : sealSsn(value)];
    }),
  );

/** Our names, and '' for columns that are left out, by the names of the file. */
function readMapping(mapping: Mapping, known: ReadonlyMap<string, string>, fields: readonly string[]): ReadonlyMap<string, string> {
  const mapped = new Map<string, string>();
  for (const [theirs, ours] of Object.entries(mapping)) {
    const [name, field] = [plainName(theirs), ours === '' ? '' : known.get(plainName(ours))];
    if (field === undefined)
      throw invalid('mapping', `has "${ours.slice(0, 100)}", which is none of ${fields.map(snakeCase).join(', ')}`, 'unknown_field');
    if (mapped.has(name)) throw invalid('mapping', `has the name "${theirs.slice(0, 100)}" twice`, 'twice');
    if (field !== '' && [...mapped.values()].includes(field)) throw invalid('mapping', `has two names for ${snakeCase(field)}`, 'twice');
    mapped.set(name, field);
  }
  return mapped;
}

const MOST_IGNORED = 50;
const MOST_NAMES = 5_000;

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

function eachCell(row: Record<string, unknown>, visit: (name: string, value: unknown) => void): void {
  for (const [name, value] of Object.entries(row)) {
    // Most cells are plain: their names are not looked at.
    const parts = parseParts(value);
    const prefix = parts ? NESTED.get(plainName(name)) : undefined;
    if (parts && prefix !== undefined) for (const [part, one] of Object.entries(parts)) visit(`${prefix}${part}`, one);
    else visit(name, value);
  }
}

/** The values of an object, or of its JSON. */
function parseParts(value: unknown): object | null {
  if (typeof value === 'object') return Array.isArray(value) ? null : value;
  try {
    return typeof value === 'string' && value.startsWith('{') ? parseParts(JSON.parse(value)) : null;
  } catch {
    return null;
  }
}

const decisionCell = optional(choice<Decision>(...DECISIONS));

/** The decision of a row, and that of the file where it has none. @throws Failure invalid */
export function readDecision(sent: unknown, otherwise: Decision): Decision {
  const { data, error } = decisionCell.safeParse(sent);
  if (error) throw invalid(ON_MATCH, error.issues[0]?.message ?? 'must be one of skip, update, create');
  return data ?? otherwise;
}
