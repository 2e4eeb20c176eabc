import { readFileSync } from 'node:fs';

/** The row of a code in docs/errors.md. */
export interface ErrorEntry {
  code: string;
  /** None for the code of a field, which is beside a field of an `invalid_input`. */
  statuses: number[];
  meaning: string;
  causes: string;
  remedy: string;
}

const FILE = new URL('../../../docs/errors.md', import.meta.url);
const ROW = /^\| `([a-z0-9_]+)` \| (.*) \|$/gm;

export const errorPagePath = (code: string): string => `/docs/errors/${code}`;

/** The table of all codes, out of the guide for people, which is read when somebody asks for it. */
export function readErrorTable(): Map<string, ErrorEntry> {
  const rows = [...readFileSync(FILE, 'utf8').matchAll(ROW)];
  return new Map(rows.map(([, code = '', cells = '']) => [code, toEntry(code, cells.split(' | '))]));
}

/** An entry of one of the three tables: of failures, of fields, and of records that are not found. */
function toEntry(code: string, [first = '', second = '', third = '', fourth = '', ...rest]: string[]): ErrorEntry {
  if (rest.length > 0) throw new Error(`docs/errors.md: too many cells at ${code}`);
  if (/^\d/.test(first)) return { code, statuses: first.split(', ').map(Number), meaning: second, causes: third, remedy: fourth };
  if (second !== '') return { code, statuses: [], meaning: first, causes: FIELD_CAUSES, remedy: second };
  return { code, statuses: [404], meaning: `There is no such ${first}.`, causes: NOT_FOUND_CAUSES, remedy: NOT_FOUND_REMEDY };
}

const FIELD_CAUSES = 'A field of the request, which `errors`, `Error-Fields` or the message names.';
const NOT_FOUND_CAUSES = 'A wrong id, a record that was deleted or is restricted, or an id of another practice.';
const NOT_FOUND_REMEDY = 'Check the id, and read the list of these records again.';
