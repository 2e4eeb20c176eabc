import { randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import type { ItemKind, MonitoringService } from '../../../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { createItem } from '../care.ts';
import { createCheckIn, createConsent, createReading, createReview, openMeasuring } from '../readings/reported.ts';

interface Code {
  code: string;
  units: number;
}

/** The codes of a row, such as `99458x2`. */
export const codesIn = ({ codes }: { codes: Code[] }) => codes.map(({ code, units }) => (units === 1 ? code : `${code}x${units}`));

/** A practice of its own with a nurse, and all that a month of its ledger is made of. */
export async function openLedger(test: TestApp) {
  const { prisma } = test.database;
  const nurse = await signedInUser(test);
  const { organizationId } = nurse;
  const measuring = await openMeasuring(prisma, organizationId);
  const items = new Map<ItemKind, number>([['physiologic', measuring.systolic.id]]);
  const findOrCreateItem = async (kind: ItemKind): Promise<number> => {
    const id = items.get(kind) ?? (await createItem(prisma, { organizationId, name: kind, unit: null, kind })).id;
    items.set(kind, id);
    return id;
  };
  const readRow = async (patientId: number, month: string) =>
    (await nurse.get(`/remote-patient-monitoring/ledger?month=${month}&patient_uuid=${patientId}`).expect(200)).body.data[0];
  return {
    nurse,
    organizationId,
    readRow,
    readCodes: async (patientId: number, month: string) => codesIn(await readRow(patientId, month)),
    readMissing: async (patientId: number, month: string): Promise<string[]> =>
      (await readRow(patientId, month)).missing.map(({ text }: { text: string }) => text),

    /** A patient who consented long ago. */
    async consenting(data: object = {}): Promise<number> {
      const { id } = await createPatient(prisma, { organizationId, ...data });
      await createConsent(prisma, { organizationId, patientId: id });
      return id;
    },

    /** Readings on so many days from a day on. */
    async measure(
      patientId: number,
      from: string,
      days: number,
      source: 'device' | 'self' | 'staff' = 'device',
      kind: ItemKind = 'physiologic',
    ) {
      const systolic = { id: await findOrCreateItem(kind) };
      for (let day = 0; day < days; day += 1) {
        const on = Temporal.PlainDate.from(from).add({ days: day }).toString();
        await createReading(prisma, { ...measuring, systolic }, { organizationId, patientId, on, source });
      }
    },

    /** A review of a check-in that was sent an hour before. */
    async work(patientId: number, startedAt: string, minutes: number, liveContact = true) {
      const start = new Date(startedAt);
      const checkIn = await createCheckIn(prisma, { organizationId, patientId, sentAt: new Date(start.getTime() - 3_600_000) });
      return createReview(prisma, checkIn, { userId: nurse.user.id, startedAt: start, minutes, liveContact });
    },

    /** An enrolment in a program of its own. */
    async enroll(
      patientId: number,
      addedAt: string,
      { service = 'rpm', removedAt }: { service?: MonitoringService; removedAt?: string } = {},
    ) {
      const program = await prisma.program.create({ data: { organizationId, name: `Program ${randomUUID()}`, service } });
      const ended = removedAt === undefined ? null : new Date(removedAt);
      return prisma.programPatient.create({
        data: { organizationId, programId: program.id, patientId, addedAt: new Date(addedAt), removedAt: ended },
      });
    },
  };
}
