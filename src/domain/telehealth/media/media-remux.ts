import { readFileSync, statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import {
  Conversion,
  EncodedPacketSink,
  FilePathSource,
  FilePathTarget,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { z } from 'zod';
import { isCut, isHeadOnly } from './media-containers.ts';
import type { RemuxResult } from './media-recordings.ts';

/** This file runs in a worker thread (media-recordings.ts). The paths of the uploaded file and of the file to write. */
const task = z.object({ from: z.string(), to: z.string(), format: z.enum(['video/webm', 'video/mp4']) });

/** The least share of the bytes of the uploaded file that a complete copy of it has: the rest was its container. */
const SMALLEST_SHARE = 0.5;

/**
 * Copies video and audio, without encoding, into a file with a duration and an index of key frames. A browser records without
 * both, because it streams the file while it records, so a player cannot seek in it. A file that arrived cut stays as it is: the
 * copy would leave out what stands in its last, incomplete part.
 */
async function remux({ from, to, format }: z.output<typeof task>): Promise<RemuxResult> {
  const input = new Input({ formats: [WEBM, MP4], source: new FilePathSource(from) });
  const content = readFileSync(from);
  const kept = { isVideo: !isHeadOnly(content, format), playable: !isCut(content, format), written: false, seconds: null };
  if (!kept.isVideo) return { ...kept, width: null, height: null };
  try {
    const video = (await input.canRead()) ? await input.getPrimaryVideoTrack() : null;
    if (!video) return { ...kept, isVideo: !kept.playable, width: null, height: null };
    const found = { ...kept, width: await video.getDisplayWidth(), height: await video.getDisplayHeight() };
    if (!kept.playable) return found;
    const output = new Output({
      format: format === 'video/webm' ? new WebMOutputFormat() : new Mp4OutputFormat({ fastStart: 'in-memory' }),
      target: new FilePathTarget(to),
    });
    const conversion = await Conversion.init({ input, output, tags: {}, copy: { mode: 'forced' }, showWarnings: false });
    if (!conversion.isValid || conversion.discardedTracks.length > 0) return found;
    await conversion.execute();
    return (await isComplete(from, to))
      ? { ...found, written: true, seconds: await input.computeDuration() }
      : { ...found, playable: false };
  } catch {
    return { ...kept, width: null, height: null };
  } finally {
    input.dispose();
  }
}

/** Whether a remuxed file has pictures, and most of the bytes. */
async function isComplete(from: string, to: string): Promise<boolean> {
  if (statSync(to).size < statSync(from).size * SMALLEST_SHARE) return false;
  const input = new Input({ formats: [WEBM, MP4], source: new FilePathSource(to) });
  try {
    const video = await input.getPrimaryVideoTrack();
    return video !== null && (await new EncodedPacketSink(video).getFirstPacket()) !== null;
  } finally {
    input.dispose();
  }
}

parentPort?.postMessage(await remux(task.parse(workerData)));
