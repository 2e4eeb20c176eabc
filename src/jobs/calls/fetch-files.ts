import type { Readable } from 'node:stream';
import type { Database } from '../../database/database.ts';
import { jobCaller } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import { discardFile, type FileStore, type StoredFile, storeFile } from '../../domain/files/stored-files.ts';
import { claimDueFiles, type DueFile, type DueTable, MAX_FETCHED_BYTES } from '../../domain/messaging/attachments/due-files.ts';
import { abandonPicture, PICTURES, storePicture } from '../../domain/messaging/attachments/pictures.ts';
import { abandonRecording, RECORDINGS, storeRecording } from '../../domain/messaging/calls/recordings.ts';
import type { Tx } from '../../domain/tx.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { type Carrier, CarrierRefusal } from '../../gateways/carrier/carrier.ts';
import type { Senders } from '../../gateways/gateways.ts';

/** Files fetched concurrently. Each is streamed, and may take a minute. */
const BATCH = 4;

/** Files of one kind at the carrier. */
interface Source {
  job: string;
  due: DueTable;
  fetch(carrier: Carrier, url: string): Promise<Readable>;
  /** @returns false where the file is not used */
  store(tx: Tx, id: number, file: StoredFile): Promise<boolean>;
  abandon(tx: Tx, id: number): Promise<void>;
}

const OF_CALLS: Source = {
  job: 'fetch-recordings',
  due: RECORDINGS,
  fetch: (carrier, url) => carrier.fetchRecording(url),
  store: storeRecording,
  abandon: abandonRecording,
};
const OF_TEXTS: Source = {
  job: 'fetch-pictures',
  due: PICTURES,
  fetch: (carrier, url) => carrier.fetchPicture(url),
  store: storePicture,
  abandon: abandonPicture,
};

interface FetchDeps {
  unitOfWork: UnitOfWork;
  findSenders(organizationId: number): Promise<Pick<Senders, 'carrier'>>;
  store: FileStore;
}

type JobDeps = FetchDeps & { database: Database };

/** Fetches the recordings of messages from the carrier and stores them as files of the practice. @throws as fetchFiles */
export const fetchRecordings = (deps: JobDeps): Promise<void> => fetchFiles(deps, OF_CALLS);

/** The same of the pictures of texts. @throws as fetchFiles */
export const fetchPictures = (deps: JobDeps): Promise<void> => fetchFiles(deps, OF_TEXTS);

/**
 * Fetches what is due. After a kill at any point the next attempt starts again; the file of the first stays recorded as unclaimed, and
 * the scheduled deletion of unclaimed files (stored-files.ts) removes it.
 * @throws the first error, after all files were tried
 */
async function fetchFiles({ database, ...deps }: JobDeps, source: Source): Promise<void> {
  const tasks = await claimDueFiles(database.prisma, source.due, BATCH);
  const ends = await Promise.allSettled(tasks.map((task) => fetchOne(deps, source, task)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Of a file that stays too large, and a program that stays one. */
const isFinal = (error: unknown): boolean =>
  error instanceof CarrierRefusal || (error instanceof Failure && (error.kind === 'too_large' || error.kind === 'unsupported_media_type'));

async function fetchOne(deps: FetchDeps, source: Source, task: DueFile): Promise<void> {
  try {
    await fetchAndStore(deps, source, task);
  } catch (error) {
    if (!isFinal(error) && !task.isLast) throw error;
    const caller = jobCaller(task.organizationId, source.job);
    await deps.unitOfWork.write(caller, (tx) => source.abandon(tx, task.id));
  }
}

async function fetchAndStore(
  { unitOfWork, findSenders, store }: FetchDeps,
  source: Source,
  { organizationId, id, url }: DueFile,
): Promise<void> {
  const { carrier } = await findSenders(organizationId);
  const file = await storeFile(store, organizationId, await source.fetch(carrier, url), MAX_FETCHED_BYTES);
  const caller = jobCaller(organizationId, source.job);
  const isStored = await unitOfWork
    .write(caller, (tx) => source.store(tx, id, file))
    .catch(async (error: unknown) => {
      await discardFile(store, organizationId, file.storageKey);
      throw error;
    });
  if (!isStored) await discardFile(store, organizationId, file.storageKey);
}
