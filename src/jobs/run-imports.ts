import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import { Failure } from '../domain/errors.ts';
import type { FileStore } from '../domain/files/stored-files.ts';
import {
  claimImport,
  hasFailedTooOften,
  type ImportRun,
  importCaller,
  listDueImports,
  releaseImport,
} from '../domain/imports/import-runs.ts';
import { endUpload, readUpload } from '../domain/imports/import-uploads.ts';
import { runImport } from '../domain/imports/run-import.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';

interface Deps {
  database: Database;
  unitOfWork: UnitOfWork;
  keyring: Keyring;
  store: FileStore;
  logger: Pick<Logger, 'warn'>;
}

const OPERATION = 'job run-imports';

/** Milliseconds after which the import of another practice is next: a file is read from its beginning at each turn. */
const TURN_MS = 60_000;

/**
 * Runs the imports whose files have arrived, one of each practice in turns, and ends those whose files do not arrive. A stop leaves an import
 * after the batch under way; so does a kill, and the next process that looks goes on with it when its lease is over.
 * @throws the first error, after all were tried
 */
export async function runImports(deps: Deps, stopping?: AbortSignal, turnMs = TURN_MS): Promise<void> {
  const failures: unknown[] = [];
  for (const due of await listDueImports(deps.database.prisma)) {
    if (stopping?.aborted) break;
    try {
      if (due.state === 'receiving') await endAbandoned(deps, due);
      else await runTurn(deps, due, turnMs, stopping);
    } catch (error) {
      if (!isTakenOver(error)) failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

type Due = Awaited<ReturnType<typeof listDueImports>>[number];

async function runTurn(deps: Deps, due: Due, turnMs: number, stopping?: AbortSignal): Promise<void> {
  const { database, store, logger, unitOfWork, keyring } = deps;
  const run = await claimImport(database.prisma, due);
  if (!run) return;
  if (hasFailedTooOften(run))
    return endFailed(deps, run, `The server stopped while processing the rows after the first ${run.rows}, ${run.attempts - 1} times.`);
  const turn = new AbortController();
  const end = performance.now() + turnMs;
  try {
    await runImport(run, {
      unitOfWork,
      keyring,
      caller: importCaller(run, OPERATION),
      open: () => readUpload(store, run),
      end: endUpload,
      onFailure: (err) => logger.warn({ err, organization: due.organizationId, import: due.id }, 'an import failed'),
      onProgress: () => performance.now() >= end && turn.abort(),
      stopping: AbortSignal.any([turn.signal, ...(stopping ? [stopping] : [])]),
    });
    await releaseImport(database.prisma, due, { leasedUntil: null });
  } catch (error) {
    if (!isTakenOver(error)) await releaseImport(database.prisma, due).catch(() => {});
    throw error;
  }
}

const isTakenOver = (error: unknown): boolean => error instanceof Failure && error.kind === 'conflict';

async function endAbandoned(deps: Deps, { organizationId, id }: Due): Promise<void> {
  const run = await deps.database.prisma.importRun.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
  await endFailed(deps, run, 'The file did not arrive completely within a day.');
}

async function endFailed({ unitOfWork }: Deps, run: ImportRun, reason: string): Promise<void> {
  await unitOfWork.write(importCaller(run, OPERATION), (tx) => endUpload(tx, run.id, reason));
}
