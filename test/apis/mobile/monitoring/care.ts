import { randomBytes } from 'node:crypto';
import type { Db } from '../../../../src/database/database.ts';
import type { MonitoringService, Prisma } from '../../../../src/generated/prisma/client.ts';

/** A program with steps of these names, and their ids in order. */
export async function createProgram(
  db: Db,
  { organizationId, name = 'At home', steps = ['Consent', 'Device', 'Training', 'Monitoring'], ...data }: NewProgram,
) {
  const program = await db.program.create({ data: { organizationId, name, ...data } });
  const rows = await db.workflowStep.createManyAndReturn({
    data: steps.map((step, index) => ({ organizationId, programId: program.id, position: index + 1, name: step })),
  });
  return { ...program, steps: rows.toSorted((a, b) => a.position - b.position).map(({ id }) => id) };
}

interface NewProgram {
  organizationId: number;
  name?: string;
  steps?: string[];
  active?: boolean;
  service?: MonitoringService;
}

export function createItem(db: Db, data: Partial<Prisma.ItemUncheckedCreateInput> & { organizationId: number }) {
  return db.item.create({ data: { name: 'Systolic', unit: 'mmHg', minTarget: 90, maxTarget: 140, ...data } });
}

interface Reported {
  organizationId: number;
  patientId: number;
  /** Days before now. */
  sentAgo: number;
  /** Readings of the answer, a day later; absent for an unanswered check-in. */
  readings?: { itemId: number; value: number }[];
}

/** A check-in, answered the day after it was sent where something was measured. */
export async function createCheckIn(db: Db, { organizationId, patientId, sentAgo, readings }: Reported) {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
  const answeredAt = readings ? ago(sentAgo - 1) : null;
  const checkIn = await db.checkIn.create({
    data: {
      organizationId,
      patientId,
      channel: 'sms',
      message: 'How are you?',
      linkHash: randomBytes(32),
      sentAt: ago(sentAgo),
      expiresAt: ago(sentAgo - 7),
      answeredAt,
    },
  });
  const measuredAt = answeredAt ?? checkIn.sentAt;
  await db.reading.createMany({
    data: (readings ?? []).map((reading) => ({
      ...reading,
      organizationId,
      patientId,
      checkInId: checkIn.id,
      measuredAt,
      measuredOn: measuredAt,
    })),
  });
  return checkIn;
}
