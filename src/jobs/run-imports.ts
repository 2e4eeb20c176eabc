import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { Failure } from '../domain/errors.ts';
import type { FileStore } from '../domain/files/stored-files.ts';
import { claimImport, importCaller, listDueImports } from '../domain/imports/import-runs.ts';
import { endUpload, readUpload } from '../domain/imports/import-uploads.ts';
import { runImport } from '../domain/imports/run-import.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';

interface Deps {
  database: Database;
  unitOfWork: UnitOfWork;
  store: FileStore;
  logger: Pick<Logger, 'warn'>;
}

const OPERATION = 'job run-imports';

/**
 * Runs the imports whose files have arrived, one after the other, and ends those whose files do not arrive. A stop leaves an import after
 * the batch under way; so does a kill, and the next process that looks goes on with it when its lease is over.
 * @throws the first error, after all were tried
 */
export async function runImports(deps: Deps, stopping?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  for (const due of await listDueImports(deps.database.prisma)) {
    if (stopping?.aborted) break;
    try {
      if (due.state === 'receiving') await endAbandoned(deps, due);
      else await runOne(deps, due, stopping);
    } catch (error) {
      if (!(error instanceof Failure && error.kind === 'conflict')) failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

type Due = Awaited<ReturnType<typeof listDueImports>>[number];

async function runOne({ database, unitOfWork, store, logger }: Deps, due: Due, stopping?: AbortSignal): Promise<void> {
  const run = await claimImport(database.prisma, due);
  if (!run) return;
  const ended = await runImport(run, {
    unitOfWork,
    caller: importCaller(run, OPERATION),
    open: () => readUpload(store, run),
    end: endUpload,
    onFailure: (err) => logger.warn({ err, organization: due.organizationId, import: due.id }, 'an import failed'),
    ...(stopping ? { stopping } : {}),
  });
  if (ended.state === 'running') await database.prisma.importRun.updateMany({ where: { ...due }, data: { leasedUntil: null } });
}

async function endAbandoned({ database, unitOfWork }: Deps, { organizationId, id }: Due): Promise<void> {
  const run = await database.prisma.importRun.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
  await unitOfWork.write(importCaller(run, OPERATION), (db, caller) =>
    endUpload(db, caller, id, 'The file did not arrive whole within a day.'),
  );
}
