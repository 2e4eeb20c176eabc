import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Database } from '../../src/database/database.ts';
import { operator } from '../../src/domain/caller.ts';
import type { FileStore } from '../../src/domain/files/stored-files.ts';
import { prepareImage, prepareVideo, saveImage, saveVideo } from '../../src/domain/telehealth/media/media.ts';
import { findOnlyPatient } from '../../src/domain/telehealth/media/media-owners.ts';
import { RECORDING_QUESTION } from '../../src/domain/telehealth/sessions/recording-consent.ts';
import { createUnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { later } from './dates.ts';

/** A moving shape on a plain background, recorded by a browser. */
const RECORDING = new URL('./media/recording.webm', import.meta.url);

/**
 * Pictures and recordings of the last video visits of a practice, with real files. They are written through
 * the same doors as those of a room, after the rows of the demo are there.
 */
export async function keepDemoMedia(database: Database, store: FileStore, organizationId: number): Promise<void> {
  const unitOfWork = createUnitOfWork(database);
  const caller = operator(organizationId, 'demo');
  const sessions = await database.prisma.videoSession.findMany({
    where: { organizationId, kind: 'telehealth', endedAt: { not: null } },
    orderBy: { id: 'desc' },
    take: 3,
    select: { id: true, endedAt: true, hostUserId: true, visit: true },
  });
  const folder = await mkdtemp(join(tmpdir(), 'triptych-'));
  try {
    for (const [index, { id: videoSessionId, endedAt, hostUserId, visit: recordedVisit }] of sessions.entries()) {
      const at = endedAt ? later(endedAt, -5) : undefined;
      const picture = await drawPicture(join(folder, `${index}.png`), index);
      const image = await prepareImage(store, organizationId, picture);
      const makerUserId = hostUserId;
      await unitOfWork.write(caller, async (tx) => {
        const patientId = await findOnlyPatient(tx, videoSessionId, 'patient');
        const labels = { title: `Forearm, ${index + 1}`, bodySite: 'Left forearm' };
        return saveImage(tx, { videoSessionId, patientId, makerUserId, at, ...labels }, image);
      });
      if (index > 0) continue;
      const recording = join(folder, 'recording.webm');
      await copyFile(RECORDING, recording);
      const video = await prepareVideo(store, organizationId, recording, picture);
      await unitOfWork.write(caller, async (tx) => {
        const patientId = await findOnlyPatient(tx, videoSessionId, 'patient');
        const consent = { recordingConsent: true, recordingWords: RECORDING_QUESTION.en, recordingAnsweredAt: at ?? null };
        await tx.prisma.sessionParticipant.updateMany({ where: { organizationId, videoSessionId }, data: consent });
        await tx.prisma.videoSession.updateMany({ where: { organizationId, id: videoSessionId }, data: { recordedVisit } });
        return saveVideo(tx, { videoSessionId, patientId, makerUserId, at, title: 'Range of motion', bodySite: 'Right shoulder' }, video);
      });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A disc on a plain background, since pictures of visits are private, in a demo too. */
async function drawPicture(path: string, index: number): Promise<string> {
  const [width, height] = [640, 480];
  const radius = 90 + 25 * index;
  const pixels = Buffer.alloc(width * height * 3, Buffer.from([232, 205, 188]));
  const color = Buffer.from([186, 90 + 20 * index, 84]);
  for (let y = -radius; y <= radius; y += 1) {
    const half = Math.round(Math.sqrt(radius ** 2 - y ** 2));
    const middle = (height / 2 + y) * width + width / 2;
    pixels.fill(color, (middle - half) * 3, (middle + half) * 3);
  }
  await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toFile(path);
  return path;
}
