import type { Db } from '../../../database/database.ts';
import type { ChartImage } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { createTypeDetector } from '../../files/file-types.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';
import { findPatient } from '../chart/find-patient.ts';

export type { ChartImage };

/** An image of a chart: the photo of the patient, or the card of one of the patient's insurances. */
export interface ImagePlace {
  patientId: number;
  /** Null for the photo. */
  insuranceId: number | null;
}

const IMAGE_TYPES = ['image/jpeg', 'image/png'];

const toKey = ({ organizationId }: Caller, { patientId, insuranceId }: ImagePlace) => ({
  organizationId,
  patientId,
  insuranceId: insuranceId ?? 0,
});

const toSection = ({ insuranceId }: ImagePlace) => (insuranceId === null ? 'photo' : 'insurances');

/** Stores an image in place of the one before. @throws Failure not_found; invalid for anything but a JPEG or a PNG */
export async function setChartImage(db: Db, caller: Caller, place: ImagePlace, content: Uint8Array<ArrayBuffer>): Promise<void> {
  await holdChart(db, caller, place.patientId);
  const detector = createTypeDetector();
  detector.add(Buffer.from(content));
  const mediaType = await detector.detect();
  if (!IMAGE_TYPES.includes(mediaType)) throw invalid('image', 'must be a JPEG or PNG image in base64', 'invalid_image');
  const key = toKey(caller, place);
  const where = { organizationId_patientId_insuranceId: key };
  await db.chartImage.upsert({
    where,
    create: { ...key, mediaType, content },
    update: { mediaType, content },
    select: { patientId: true },
  });
  recordChartChange(caller, place.patientId, toSection(place));
}

/** @throws Failure not_found, also where the chart has no such image */
export async function readChartImage(db: Db, caller: Caller, place: ImagePlace): Promise<ChartImage> {
  await findPatient(db, caller, place.patientId);
  const image = await db.chartImage.findUnique({ where: { organizationId_patientId_insuranceId: toKey(caller, place) } });
  if (!image) throw notFound('image');
  recordRead(caller, 'patient', [place.patientId]);
  return image;
}

/** @throws Failure not_found, also where the chart has no such image */
export async function deleteChartImage(db: Db, caller: Caller, place: ImagePlace): Promise<void> {
  await holdChart(db, caller, place.patientId);
  const { count } = await db.chartImage.deleteMany({ where: toKey(caller, place) });
  if (count === 0) throw notFound('image');
  recordChartChange(caller, place.patientId, toSection(place));
}
