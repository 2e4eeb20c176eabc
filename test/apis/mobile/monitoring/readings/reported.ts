import { randomBytes } from 'node:crypto';
import type { Db } from '../../../../../src/database/database.ts';
import type { Prisma } from '../../../../../src/generated/prisma/client.ts';
import { createPatient } from '../../../../support/factories.ts';

/** A practice with an item and a daily survey about it. */
export interface Measuring {
  systolic: { id: number };
  surveyTypeId: number;
}

export async function openMeasuring(db: Db, organizationId: number): Promise<Measuring> {
  const systolic = await db.item.create({
    data: { organizationId, name: 'Systolic blood pressure', unit: 'mmHg', minTarget: '90', maxTarget: '140' },
  });
  const { id: surveyTypeId } = await db.surveyType.create({
    data: {
      organizationId,
      name: 'Every morning',
      questions: [
        { key: 'systolic', text: 'The upper number', kind: 'number', min: 60, max: 260, itemId: systolic.id },
        { key: 'slept', text: 'Did you sleep well?', kind: 'yes_no', required: false },
      ],
    },
  });
  return { systolic, surveyTypeId };
}

const DAY_MS = 24 * 3_600_000;
export const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

interface SentCheckIn extends Partial<Omit<Prisma.CheckInUncheckedCreateInput, 'organizationId' | 'answers'>> {
  organizationId: number;
  answers?: Prisma.InputJsonObject;
}

/** A check-in; sent yesterday to a new patient unless given otherwise. */
export async function createCheckIn(db: Db, { organizationId, patientId, ...data }: SentCheckIn) {
  const sentAt = data.sentAt instanceof Date ? data.sentAt : daysAgo(1);
  return db.checkIn.create({
    data: {
      organizationId,
      patientId: patientId ?? (await createPatient(db, { organizationId })).id,
      channel: 'sms',
      message: 'How are you? {{url}}',
      linkHash: new Uint8Array(randomBytes(32)),
      expiresAt: new Date(sentAt.getTime() + 7 * DAY_MS),
      ...data,
      sentAt,
    },
  });
}

/** A review of a check-in; ten minutes from now on unless given otherwise. */
export function createReview(
  db: Db,
  checkIn: { organizationId: number; id: number; patientId: number },
  data: Partial<Prisma.CheckInReviewUncheckedCreateInput> & { userId: number },
) {
  const { organizationId, id: checkInId, patientId } = checkIn;
  return db.checkInReview.create({ data: { organizationId, checkInId, patientId, minutes: 10, startedAt: daysAgo(0), ...data } });
}

interface OnDay {
  organizationId: number;
  patientId: number;
  /** `2026-11-01` */
  on: string;
  source?: 'device' | 'self' | 'staff';
}

/** A patient's consent to monitoring, given long ago unless another time is given. */
export const createConsent = (
  db: Db,
  data: Partial<Prisma.MonitoringConsentUncheckedCreateInput> & { organizationId: number; patientId: number },
) => db.monitoringConsent.create({ data: { givenAt: new Date('2019-01-01T12:00:00Z'), how: 'verbal', givenBy: 'patient', ...data } });

/** One value that a patient measured on a day, with a check-in of that day; from a device unless another source is given. */
export async function createReading(db: Db, { systolic }: Measuring, { organizationId, patientId, on, source = 'device' }: OnDay) {
  const measuredAt = new Date(`${on}T15:00:00Z`);
  const checkIn = await createCheckIn(db, { organizationId, patientId, sentAt: measuredAt, answeredAt: measuredAt });
  const measured = { itemId: systolic.id, value: 130, measuredAt, measuredOn: new Date(`${on}T00:00:00Z`) };
  await db.reading.create({ data: { organizationId, patientId, checkInId: checkIn.id, source, ...measured } });
  return checkIn;
}

/** A month that has ended, such as `2026-10`: readings of it may still be sent. @param ago at least one */
export function monthsAgo(ago: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7);
}
