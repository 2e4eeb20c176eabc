import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { readHead } from '../../files/read-head.ts';
import { createSemaphore } from '../../values/semaphore.ts';
import { detectFormat, HEAD_BYTES, type RecordingFormat } from './media-containers.ts';

/** The answer of the worker thread that remuxes a recording (media-remux.ts). */
const remuxResult = z.object({
  /** False without a video track. */
  isVideo: z.boolean(),
  /** The file arrived whole. */
  playable: z.boolean(),
  /** The remuxed file is complete. */
  written: z.boolean(),
  seconds: z.number().nullable(),
  /** Pixels. */
  width: z.number().nullable(),
  height: z.number().nullable(),
});
export type RemuxResult = z.output<typeof remuxResult>;

export interface Recording extends Omit<RemuxResult, 'written' | 'isVideo'> {
  /** Of the file to store. */
  path: string;
  /** Of its file name, without the dot. */
  extension: 'webm' | 'mp4';
  /** A player can seek in it: the file has its duration and an index of key frames. */
  seekable: boolean;
}

/** A recording of 25 MiB takes less than a second. */
const TIMEOUT_MS = 15_000;
/** The library reads and writes in chunks. */
const MAX_MEMORY_MB = 256;
/** Each thread uses a whole core while it runs. Recordings that wait stay in the temporary folder. */
const semaphore = createSemaphore({
  slots: 2,
  longestQueue: 20,
  tooMany: 'Too many recordings are being stored. Try again in a moment.',
});

/**
 * Remuxes an uploaded recording into a file in the same folder in which a player can seek. If that fails, or the recording arrived
 * cut, the uploaded file is used, and is not seekable. Runs in a worker thread with limits on time and memory, because the file may
 * be hostile.
 * @param path of the uploaded file; its folder must have room for a second file of that size
 * @throws Failure invalid for a file that is no WebM or MP4 video; unavailable where too many recordings wait
 */
export async function readRecording(path: string, field: string): Promise<Recording> {
  const to = `${path}.remuxed`;
  const format = detectFormat(await readHead(path, HEAD_BYTES));
  if (format === null) throw notAVideo(field);
  const { isVideo, written, ...found } = await semaphore.run(() => remuxInWorker({ from: path, to, format }));
  if (!isVideo) throw notAVideo(field);
  return { ...found, path: written ? to : path, extension: format === 'video/webm' ? 'webm' : 'mp4', seekable: written };
}

const notAVideo = (field: string) => invalid(field, 'must be a WebM or MP4 video that can be read', 'no_video');

/** The result where the thread came to no end: the file is kept as it came. */
const UNREADABLE: RemuxResult = { isVideo: true, playable: false, written: false, seconds: null, width: null, height: null };

function remuxInWorker(task: { from: string; to: string; format: RecordingFormat }): Promise<RemuxResult> {
  const thread = new Worker(new URL('./media-remux.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  return new Promise<RemuxResult>((resolve) => {
    const end = setTimeout(() => resolve(UNREADABLE), TIMEOUT_MS);
    thread.once('message', (message: unknown) => resolve(remuxResult.parse(message)));
    // Includes a thread that ran out of memory.
    thread.once('error', () => resolve(UNREADABLE));
    thread.once('exit', () => resolve(UNREADABLE));
    thread.once('exit', () => clearTimeout(end));
  }).finally(() => thread.terminate());
}
