import type { ChartImage } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { createTypeDetector } from '../../files/file-types.ts';
import type { Tx } from '../../tx.ts';
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
export async function setChartImage(tx: Tx, place: ImagePlace, content: Uint8Array<ArrayBuffer>): Promise<void> {
  await holdChart(tx, place.patientId);
  const detector = createTypeDetector();
  detector.add(Buffer.from(content));
  const mediaType = await detector.detect();
  if (!IMAGE_TYPES.includes(mediaType)) throw invalid('image', 'must be a JPEG or PNG image in base64', 'invalid_image');
  const key = toKey(tx, place);
  const where = { organizationId_patientId_insuranceId: key };
  await tx.prisma.chartImage.upsert({
    where,
    create: { ...key, mediaType, content },
    update: { mediaType, content },
    select: { patientId: true },
  });
  recordChartChange(tx, place.patientId, toSection(place));
}

/** @throws Failure not_found, also where the chart has no such image */
export async function readChartImage(tx: Tx, place: ImagePlace): Promise<ChartImage> {
  await findPatient(tx, place.patientId);
  const image = await tx.prisma.chartImage.findUnique({ where: { organizationId_patientId_insuranceId: toKey(tx, place) } });
  if (!image) throw notFound('image');
  recordRead(tx, 'patient', [place.patientId]);
  return image;
}

/** @throws Failure not_found, also where the chart has no such image */
export async function deleteChartImage(tx: Tx, place: ImagePlace): Promise<void> {
  await holdChart(tx, place.patientId);
  const { count } = await tx.prisma.chartImage.deleteMany({ where: toKey(tx, place) });
  if (count === 0) throw notFound('image');
  recordChartChange(tx, place.patientId, toSection(place));
}
