import type { Database } from '../database/database.ts';
import { jobCaller } from '../domain/caller.ts';
import { Failure } from '../domain/errors.ts';
import { discardFile, type FileStore, storeFile } from '../domain/files/stored-files.ts';
import {
  abandonRecording,
  claimDueRecordings,
  type DueRecording,
  MAX_RECORDING_BYTES,
  storeRecording,
} from '../domain/messaging/calls/recordings.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { type Carrier, CarrierRefusal } from '../gateways/carrier.ts';

/** At once: each is held whole by nobody, and may take a minute. */
const BATCH = 4;

/**
 * Brings the recordings of messages from the carrier into the practice's files. Killed at any point, the next attempt
 * begins anew, and what lies there of the first is taken away with what nobody claimed.
 * @throws the first of what went wrong, after all others were tried
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
    await bring(deps, task);
  } catch (error) {
    const isHopeless = error instanceof CarrierRefusal || (error instanceof Failure && error.kind === 'too_large');
    if (!isHopeless && !task.isLast) throw error;
    const caller = jobCaller(task.organizationId, 'fetch-recordings');
    await deps.unitOfWork.write(caller, (db, inWork) => abandonRecording(db, inWork, task.id));
  }
}

async function bring({ unitOfWork, carrier, store }: FetchDeps, { organizationId, id, url }: DueRecording): Promise<void> {
  const file = await storeFile(store, organizationId, await carrier.fetchRecording(url), MAX_RECORDING_BYTES);
  const caller = jobCaller(organizationId, 'fetch-recordings');
  const isKept = await unitOfWork
    .write(caller, (db, inWork) => storeRecording(db, inWork, id, file))
    .catch(async (error: unknown) => {
      await discardFile(store, organizationId, file.storageKey);
      throw error;
    });
  if (!isKept) await discardFile(store, organizationId, file.storageKey);
}
