import { z } from 'zod';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { Tx } from '../tx.ts';
import { runAndRollBack } from '../unit-of-work/dry-run.ts';
import type { Decision, ImportKind } from './import-kinds.ts';
import { KINDS } from './kinds/kinds.ts';
import { type Outcome, toRefusal } from './outcomes.ts';
import { createHeaders, type Headers, type Mapping, readDecision } from './rows/headers.ts';
import type { SourceRow } from './rows/read-rows.ts';
import { type CellSealing, cellSealing } from './rows/sealed-cells.ts';

export interface ReportedRow {
  line: number;
  outcome: Outcome['outcome'];
  /** The chart of the same person. */
  patientId: number | null;
  /** Names of the file, of what is wrong. */
  fields: string | null;
  reason: string;
  /** As it was sent, with the decision that was taken. */
  row: Record<string, unknown>;
}

export interface BatchResult {
  counts: Record<'rows' | 'created' | 'updated' | 'skipped' | 'matched' | 'refused', number>;
  reported: ReportedRow[];
}

export interface ImportOptions {
  kind: ImportKind;
  onMatch: Decision;
  mapping: Mapping;
  dryRun: boolean;
}

export interface Importer {
  headers: Headers;
  /** Reads the cells of a batch by the rules of the kind. */
  read(rows: readonly SourceRow[], sealing: CellSealing): CheckedRow[];
  /** Stores a batch in the transaction that is given; a dry run takes it back. */
  store(tx: Tx, rows: readonly CheckedRow[], keyring: Keyring): Promise<BatchResult>;
}

/** @throws Failure invalid for a mapping that does not fit the kind */
export function createImporter({ kind: name, onMatch, mapping, dryRun }: ImportOptions): Importer {
  const kind = KINDS[name];
  const headers = createHeaders(kind.cells, kind.words, mapping);
  const readGivenCells = createCellReader(kind.cells);
  return {
    headers,
    read: (rows, sealing) => rows.map((row) => readRow(readGivenCells, { headers, sealing }, onMatch, row)),
    async store(tx, rows, keyring) {
      const good = rows.flatMap((one) => ('refused' in one ? [] : one));
      const store = () => kind.store(tx, good, keyring);
      const outcomes = (dryRun ? await runAndRollBack(tx, store) : await store())[Symbol.iterator]();
      return toBatchResult(
        rows.map((one) => {
          const outcome = 'refused' in one ? one.refused : outcomes.next().value;
          if (!outcome) throw new Error('a row has no outcome');
          return { ...one, outcome };
        }),
        { headers, sealing: cellSealing(keyring, tx.organizationId) },
      );
    },
  };
}

/** A row whose cells were read, or its refusal. */
export type CheckedRow = { source: SourceRow; decision: Decision; findColumnName: (field: string) => string } & (
  | { values: Record<string, unknown> }
  | { refused: Outcome }
);

interface Reader {
  headers: Headers;
  sealing: CellSealing;
}

type CellsOf = (fields: readonly string[]) => z.ZodObject;

/** Combinations of fields with a shape of their own. A table has one. */
const MOST_COMBINATIONS = 100;

/** The shape of rows that give these fields: a file gives few of a kind, and a shape of all takes each row several times as long. */
function createCellReader(cells: z.ZodObject): CellsOf {
  const entries = Object.entries(cells.shape);
  // Those that must be given, or have a value where they are not. A rule for several fields needs them all.
  const isNeeded = (cell: z.ZodType) => cells.def.checks !== undefined || z.undefined().safeParse(cell.safeParse(undefined).data).error;
  const needed = new Set(entries.filter(([, cell]) => isNeeded(cell)).map(([name]) => name));
  const known = new Map<string, z.ZodObject>();
  return (fields) => {
    const found = known.get(fields.join());
    if (found || needed.size === entries.length || known.size >= MOST_COMBINATIONS) return found ?? cells;
    const given = z.object(Object.fromEntries(entries.filter(([name]) => needed.has(name) || fields.includes(name))));
    known.set(fields.join(), given);
    return given;
  };
}

function readRow(readGivenCells: CellsOf, { headers, sealing }: Reader, onMatch: Decision, source: SourceRow): CheckedRow {
  if (source.fault !== undefined) {
    const refused = { outcome: 'refused', issues: [{ field: '', message: source.fault }] } as const;
    return { source, findColumnName: (field) => field, decision: onMatch, refused };
  }
  const row = { source, findColumnName: (field: string) => field, decision: onMatch };
  try {
    const { values, findColumnName, decision: sent } = headers.read(source.cells);
    row.findColumnName = findColumnName;
    const decision = readDecision(sent, onMatch);
    for (const field of Object.keys(values)) values[field] = sealing.open(values[field], field);
    const { data, error } = readGivenCells(Object.keys(values)).safeParse(values);
    if (data) return { ...row, decision, values: data };
    const issues = error.issues.map(({ path, message }) => ({ field: String(path[0] ?? ''), message }));
    return { ...row, decision, refused: { outcome: 'refused', issues } };
  } catch (error) {
    return { ...row, refused: toRefusal(error) };
  }
}

function toBatchResult(rows: readonly (CheckedRow & { outcome: Outcome })[], { headers, sealing }: Reader): BatchResult {
  const counts = { rows: rows.length, created: 0, updated: 0, skipped: 0, matched: 0, refused: 0 };
  const reported: ReportedRow[] = [];
  for (const { outcome, source, findColumnName, decision } of rows) {
    counts[outcome.outcome] += 1;
    if (outcome.outcome !== 'refused' && outcome.match === undefined) continue;
    const { line } = source;
    const cells = source.fault === undefined ? headers.sealed(source.cells, sealing) : sealSsns(source.cells, sealing);
    if (outcome.outcome === 'refused') {
      const issues = outcome.issues.map(({ field, message }) => ({ name: field === '' ? null : findColumnName(field), message }));
      const fields = issues.flatMap(({ name }) => name ?? []).join(', ') || null;
      const reason = issues.map(({ name, message }) => (name === null ? message : `${name}: ${message}`)).join('; ');
      reported.push({ line, outcome: 'refused', patientId: null, fields, reason, row: cells });
    } else if (outcome.match !== undefined) {
      counts.matched += 1;
      const { match: patientId } = outcome;
      const reason = `the same person as patient ${patientId}`;
      reported.push({ line, outcome: outcome.outcome, patientId, fields: null, reason, row: { ...cells, on_match: decision } });
    }
  }
  return { counts, reported };
}

const sealSsns = (cells: Record<string, unknown>, { sealSsn }: CellSealing): Record<string, unknown> =>
  Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, sealSsn(value)]));
