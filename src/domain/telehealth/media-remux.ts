import { parentPort, workerData } from 'node:worker_threads';
import { Conversion, FilePathSource, FilePathTarget, Input, MP4, Mp4OutputFormat, Output, WEBM, WebMOutputFormat } from 'mediabunny';
import { z } from 'zod';
import type { RemuxResult } from './media-recordings.ts';

/** This file runs in a worker thread (media-recordings.ts). The paths of the uploaded file and of the file to write. */
const task = z.object({ from: z.string(), to: z.string() });

/**
 * Copies video and audio, without encoding, into a file with a duration and an index of key frames. A browser records without
 * both, because it streams the file while it records, so a player cannot seek in it.
 */
async function remux({ from, to }: z.output<typeof task>): Promise<RemuxResult> {
  const input = new Input({ formats: [WEBM, MP4], source: new FilePathSource(from) });
  const video = (await input.canRead()) ? await input.getPrimaryVideoTrack() : null;
  if (!video) return { mediaType: null, written: false, seconds: null, width: null, height: null };
  const isWebm = (await input.getFormat()) === WEBM;
  const found = {
    mediaType: isWebm ? ('video/webm' as const) : ('video/mp4' as const),
    width: await video.getDisplayWidth(),
    height: await video.getDisplayHeight(),
  };
  try {
    const format = isWebm ? new WebMOutputFormat() : new Mp4OutputFormat({ fastStart: 'in-memory' });
    const output = new Output({ format, target: new FilePathTarget(to) });
    const conversion = await Conversion.init({ input, output, tags: {}, copy: { mode: 'forced' }, showWarnings: false });
    if (!conversion.isValid || conversion.discardedTracks.length > 0) return { ...found, written: false, seconds: null };
    await conversion.execute();
    return { ...found, written: true, seconds: await input.computeDuration() };
  } catch {
    return { ...found, written: false, seconds: null };
  } finally {
    input.dispose();
  }
}

parentPort?.postMessage(await remux(task.parse(workerData)));
