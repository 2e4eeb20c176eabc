import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { invalid } from '../errors.ts';
import { createSemaphore } from '../values/semaphore.ts';

/** What the thread answers that reads a recording (media-remux.ts). */
const remuxResult = z.object({
  /** Null where it is neither, or shows nothing. */
  mediaType: z.enum(['video/webm', 'video/mp4']).nullable(),
  /** The file that was to be written is whole. */
  written: z.boolean(),
  seconds: z.number().nullable(),
  /** Pixels. */
  width: z.number().nullable(),
  height: z.number().nullable(),
});
export type RemuxResult = z.output<typeof remuxResult>;

/** A recording that can be kept. */
export interface Recording extends Omit<RemuxResult, 'written' | 'mediaType'> {
  /** The file to keep. */
  path: string;
  /** Ends its name. */
  extension: 'webm' | 'mp4';
  /** A player can jump in it: it knows its length and where its key pictures are. */
  seekable: boolean;
}

/** One of 25 MiB takes less than a second. */
const TIMEOUT_MS = 15_000;
/** The library reads and writes piece by piece. */
const MAX_MEMORY_MB = 256;
/** Each fills a core while it runs. Those in the queue wait for seconds, and lie in the temporary folder meanwhile. */
const semaphore = createSemaphore({
  slots: 2,
  longestQueue: 20,
  tooMany: 'Too many recordings are being kept at this moment. Try again in a moment.',
});

/**
 * Reads a recording that somebody sent, and writes it anew beside it so that a player can jump in it. Where that does not
 * work out it is kept as it came, and is not seekable. In a thread of its own, which a hostile file cannot hold for long.
 * @param path of the file; beside it there must be room for one of its length
 * @throws Failure invalid for what is no video; unavailable where too many wait for their turn
 */
export async function readRecording(path: string, field: string): Promise<Recording> {
  const to = `${path}.remuxed`;
  const { mediaType, written, seconds, width, height } = await semaphore.run(() => remuxInWorker(path, to));
  if (mediaType === null) throw invalid(field, 'must be a WebM or MP4 video that can be read', 'no_video');
  return { path: written ? to : path, extension: mediaType === 'video/webm' ? 'webm' : 'mp4', seekable: written, seconds, width, height };
}

const UNREADABLE: RemuxResult = { mediaType: null, written: false, seconds: null, width: null, height: null };

function remuxInWorker(from: string, to: string): Promise<RemuxResult> {
  const thread = new Worker(new URL('./media-remux.ts', import.meta.url), {
    workerData: { from, to },
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  return new Promise<RemuxResult>((resolve) => {
    const end = setTimeout(() => resolve(UNREADABLE), TIMEOUT_MS);
    thread.once('message', (message: unknown) => resolve(remuxResult.parse(message)));
    // Also when the thread ran out of memory.
    thread.once('error', () => resolve(UNREADABLE));
    thread.once('exit', () => resolve(UNREADABLE));
    thread.once('exit', () => clearTimeout(end));
  }).finally(() => thread.terminate());
}
