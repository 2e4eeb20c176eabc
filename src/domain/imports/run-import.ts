import type { Keyring } from '../../database/encryption/keyring.ts';
import { isDatabaseUnreachable } from '../../database/errors.ts';
import { statement } from '../../database/statements/statement.ts';
import { sendLater } from '../../database/transaction.ts';
import type { CallerIdentity } from '../caller.ts';
import { Failure } from '../errors.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { readAhead } from '../values/read-ahead.ts';
import { type CheckedRow, createImporter } from './import-rows.ts';
import { endImport, type ImportRun, readOptions, storeProgress } from './import-runs.ts';
import { type RowFile, readRows, type SourceRow } from './rows/read-rows.ts';
import { cellSealing } from './rows/sealed-cells.ts';

/** Rows of one transaction: their names and numbers are locked until it ends. Changes of charts take several statements each. */
const BATCH = { skip: 500, create: 500, update: 100 } as const;
/** Characters of one transaction, but for its last row: rows may be long. */
const BATCH_LENGTH = 4 * 1024 * 1024;

/**
 * Forgets the plans of the connection. Those that were made while a table was nearly empty, also for its foreign keys, read an index from end to
 * end for each row, until the table is analyzed a minute later.
 */
const FORGET_PLANS = statement<never>('forget_plans', 'DISCARD PLANS');
/**
 * Plans for any practice, in this transaction: one that has just moved in is not in the statistics, and a plan for it alone would take each of its
 * tables for empty, and read all of its charts for each row.
 */
const PLAN_FOR_ANY = statement<never>('plan_for_any', 'SET LOCAL plan_cache_mode = force_generic_plan');
/** Batches after which plans are made again; and before, whenever their number has doubled. */
const REPLAN_EVERY = 16;
const isReplanned = (batch: number): boolean => batch % REPLAN_EVERY === 0 || (batch & (batch - 1)) === 0;

interface Batch {
  rows: CheckedRow[];
  /** Bytes of the file up to here. */
  readBytes: number;
}

interface Running {
  unitOfWork: UnitOfWork;
  keyring: Keyring;
  caller: CallerIdentity;
  /** Opens the file, from its first byte. */
  open: () => AsyncIterable<Uint8Array>;
  /** Ends the import in the transaction that is given. */
  end?: typeof endImport;
  /** Called for what was not foreseen. */
  onFailure?: (error: unknown) => void;
  /** Called after each batch. */
  onProgress?: (run: ImportRun) => void;
  /** Once aborted, the import goes on in its next run. */
  stopping?: AbortSignal;
}

/**
 * Deals with the rows of an import from where it was left, a batch in a transaction with its counts: after a kill the next run goes on
 * with the row after the last one that was committed.
 * @returns the import as it is left; an import whose file cannot be read has failed
 * @throws Failure conflict where another process runs it; what keeps the database from storing anything
 */
export async function runImport(
  run: ImportRun,
  { unitOfWork, keyring, caller, open, end = endImport, onFailure, onProgress, stopping }: Running,
): Promise<ImportRun> {
  const options = readOptions(run);
  const importer = createImporter(options);
  const sealing = cellSealing(keyring, run.organizationId);
  let file: RowFile | undefined;
  let readBytes = 0;
  async function* countBytes() {
    for await (const chunk of open()) {
      readBytes += chunk.length;
      yield chunk;
    }
  }
  async function* read(): AsyncGenerator<Batch> {
    const keepFile = (one: RowFile) => {
      if (one.format === 'csv') importer.headers.requireColumns(one.columns);
      file = one;
    };
    for await (const rows of inBatches(readRows(countBytes(), keepFile), BATCH[options.onMatch], run.rows))
      yield { rows: importer.read(rows, sealing), readBytes };
  }
  let current = run;
  let batches = 0;
  try {
    for await (const batch of readAhead(read())) {
      if (stopping?.aborted) return current;
      const before = current;
      batches += 1;
      const result = await unitOfWork.write(caller, async (tx) => {
        sendLater(tx.prisma, PLAN_FOR_ANY, []);
        if (isReplanned(batches)) await tx.prepared.rows(FORGET_PLANS, []);
        const stored = await importer.store(tx, batch.rows, keyring);
        if (!file) throw new Error('a file with rows has a format');
        await storeProgress(tx.prisma, before, { result: stored, file, ignored: importer.headers.ignored(), readBytes: batch.readBytes });
        return stored;
      });
      current = withCounts(before, result.counts, batch.readBytes);
      onProgress?.(current);
    }
  } catch (error) {
    if (isDatabaseUnreachable(error) || (error instanceof Failure && ['unavailable', 'conflict'].includes(error.kind))) throw error;
    if (!(error instanceof Failure)) onFailure?.(error);
    return unitOfWork.write(caller, (tx) => end(tx, run.id, describeFailure(error, current.rows)));
  }
  return unitOfWork.write(caller, (tx) => end(tx, run.id, null));
}

const describeFailure = (error: unknown, rows: number): string =>
  error instanceof Failure ? error.message : `The rows after the first ${rows} cannot be stored. The server log has the reason.`;

function withCounts(run: ImportRun, counts: Readonly<Record<string, number>>, readBytes: number): ImportRun {
  const { rows = 0, created = 0, updated = 0, skipped = 0, matched = 0, refused = 0 } = counts;
  return {
    ...run,
    rows: run.rows + rows,
    created: run.created + created,
    updated: run.updated + updated,
    skipped: run.skipped + skipped,
    matched: run.matched + matched,
    refused: run.refused + refused,
    readBytes,
  };
}

/** Parts of any length as batches of at most so many rows, without the first rows. */
async function* inBatches(parts: AsyncIterable<SourceRow[]>, most: number, skipped: number): AsyncGenerator<SourceRow[]> {
  let waiting: SourceRow[] = [];
  let length = 0;
  let toSkip = skipped;
  for await (const part of parts) {
    const passed = Math.min(toSkip, part.length);
    toSkip -= passed;
    for (const row of part.slice(passed)) {
      waiting.push(row);
      length += row.length;
      if (waiting.length < most && length < BATCH_LENGTH) continue;
      yield waiting;
      waiting = [];
      length = 0;
    }
  }
  if (waiting.length > 0) yield waiting;
}
