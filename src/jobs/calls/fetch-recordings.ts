import type { Database } from '../../database/database.ts';
import { jobCaller } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { discardFile, type FileStore, storeFile } from '../../domain/files/stored-files.ts';
import {
  abandonRecording,
  claimDueRecordings,
  type DueRecording,
  MAX_RECORDING_BYTES,
  storeRecording,
} from '../../domain/messaging/calls/recordings.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { type Carrier, CarrierRefusal } from '../../gateways/carrier/carrier.ts';

/** Recordings fetched concurrently. Each is streamed, and may take a minute. */
const BATCH = 4;

/**
 * Fetches the recordings of messages from the carrier and stores them as files of the practice. After a kill at any point the
 * next attempt starts again; the file of the first stays recorded as unclaimed, and the scheduled deletion of unclaimed files
 * (stored-files.ts) removes it.
 * @throws the first error, after all recordings were tried
 */
export async function fetchRecordings({ database, ...deps }: FetchDeps & { database: Database }): Promise<void> {
  const tasks = await claimDueRecordings(database.prisma, BATCH);
  const ends = await Promise.allSettled(tasks.map((task) => fetchOne(deps, task)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

interface FetchDeps {
  unitOfWork: UnitOfWork;
  carrier: Carrier;
  store: FileStore;
}

async function fetchOne(deps: FetchDeps, task: DueRecording): Promise<void> {
  try {
    await fetchAndStore(deps, task);
  } catch (error) {
    const isPermanent = error instanceof CarrierRefusal || (error instanceof Failure && error.kind === 'too_large');
    if (!isPermanent && !task.isLast) throw error;
    const caller = jobCaller(task.organizationId, 'fetch-recordings');
    await deps.unitOfWork.write(caller, (db, inTransaction) => abandonRecording(db, inTransaction, task.id));
  }
}

async function fetchAndStore({ unitOfWork, carrier, store }: FetchDeps, { organizationId, id, url }: DueRecording): Promise<void> {
  const file = await storeFile(store, organizationId, await carrier.fetchRecording(url), MAX_RECORDING_BYTES);
  const caller = jobCaller(organizationId, 'fetch-recordings');
  const isStored = await unitOfWork
    .write(caller, (db, inTransaction) => storeRecording(db, inTransaction, id, file))
    .catch(async (error: unknown) => {
      await discardFile(store, organizationId, file.storageKey);
      throw error;
    });
  if (!isStored) await discardFile(store, organizationId, file.storageKey);
}
