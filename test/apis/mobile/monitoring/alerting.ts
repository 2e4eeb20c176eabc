import { addTime } from '../../../../src/database/statements/later.sql.ts';
import { jobCaller } from '../../../../src/domain/caller.ts';
import { storeReadings } from '../../../../src/domain/monitoring/readings/readings.ts';
import { Prisma } from '../../../../src/generated/prisma/client.ts';
import { escalateAlerts, textPatientsInDanger } from '../../../../src/jobs/due-work.ts';
import { type Actor, signedInUser } from '../../../support/actors.ts';
import type { TestApp } from '../../../support/app.ts';
import { sentCheckIn, surveyingPractice } from '../../../support/check-ins.ts';
import { createPatient } from '../../../support/factories.ts';
import { anyNumber } from '../../../support/phone-numbers.ts';
import { createProgram } from './care.ts';

const ALERTS = '/remote-patient-monitoring/alerts';

/** A practice with a program, a nurse on its care team, an admin, and a patient in it; systolic pressure is aimed at and has a limit. */
export async function alertingPractice(test: TestApp, organization: Parameters<typeof surveyingPractice>[1] = {}) {
  const { prisma } = test.database;
  const practice = await surveyingPractice(test, organization);
  const { organizationId, item } = practice;
  const key = { organizationId_id: { organizationId, id: item.id } };
  await prisma.item.update({ where: key, data: { minTarget: 90, maxTarget: 140, dangerMin: 70, dangerMax: 180 } });
  const { id: programId } = await createProgram(prisma, { organizationId });
  const nurse = await signedInUser(test, { organizationId, user: { phone: anyNumber('1336') } });
  const admin = await signedInUser(test, { organizationId, type: 'admin' });
  await prisma.programMember.create({ data: { organizationId, programId, userId: nurse.user.id } });
  const enroll = (patientId: number, addedAt = new Date(Date.now() - 30 * 86_400_000)) =>
    prisma.programPatient.create({ data: { organizationId, programId, patientId, addedAt } });
  const patient = await createPatient(prisma, { organizationId, firstName: 'Rosa', lastName: 'Diaz', mobilePhone: anyNumber() });
  await enroll(patient.id);
  const listKinds = async (actor: Actor) =>
    (await actor.get('/notifications')).body.data.map(({ kind }: { kind: string }) => kind).toReversed();
  return {
    ...practice,
    programId,
    nurse,
    admin,
    patient,
    enroll,
    listKinds,
    /** Values of the patient's device, the newest now, the others a minute before each other. */
    async measure(values: number[], { patientId = patient.id, minutesAgo = 0 } = {}) {
      const now = Date.now() - minutesAgo * 60_000;
      const readings = values.map((value, index) => ({
        patientId,
        itemId: item.id,
        value,
        source: 'self' as const,
        deviceId: null,
        checkInId: null,
        implausible: false,
        measuredAt: new Date(now - (values.length - index) * 60_000),
      }));
      await test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => storeReadings(tx, readings, 'UTC'));
    },
    /** A check-in that was sent, with its patient in the program. */
    async checkIn() {
      const sent = await sentCheckIn(test, practice);
      await enroll(sent.recipient.id);
      return sent;
    },
    alerts: async (query = '', actor: Actor = nurse) => (await actor.get(`${ALERTS}${query}`)).body.data,
    /** The period of the program passes, and the job of the worker runs. */
    async periodPasses() {
      await prisma.$executeRaw`
        UPDATE monitoring_alert SET escalate_at = ${addTime(Prisma.sql`escalate_at`, Prisma.sql`mins => -15`)} WHERE organization_id = ${organizationId}`;
      await escalateAlerts(test.services);
    },
    textPatients: () => textPatientsInDanger(test.services),
  };
}

export type AlertingPractice = Awaited<ReturnType<typeof alertingPractice>>;
