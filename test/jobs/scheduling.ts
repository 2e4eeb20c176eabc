import type { Prisma } from '../../src/generated/prisma/client.ts';
import { sendScheduledCheckIns } from '../../src/jobs/due-work.ts';
import type { Services } from '../../src/services.ts';
import type { TestApp } from '../support/app.ts';
import { askingPractice } from '../support/check-ins.ts';
import { anyNumber } from '../support/phone-numbers.ts';

export const day = (text: string) => new Date(`${text}T00:00:00Z`);
/** Days of check-ins. */
export const days = (checkIns: { occurrenceOn: Date | null }[]) =>
  checkIns.map(({ occurrenceOn }) => occurrenceOn?.toISOString().slice(0, 10));

/** A practice with a schedule. */
interface Due {
  organizationId: number;
  schedule: { id: number };
}

/** Schedules and their job, at times that the test chooses. */
export function openScheduling(test: TestApp) {
  const { prisma } = test.database;
  const ofSchedule = ({ organizationId, schedule }: Due) => ({ organizationId, scheduledCheckInId: schedule.id });
  return {
    /** Runs the job that the worker runs every few seconds. */
    run: (now: string, services: Services = test.services) =>
      sendScheduledCheckIns({ ...services, origin: 'https://clinic.example' }, () => new Date(now)),

    /** A practice in UTC with a daily schedule at nine from 10 March 2031, the only one that is due. */
    async due(data: Partial<Prisma.ScheduledCheckInUncheckedCreateInput> = {}, organization: object = {}) {
      const practice = await askingPractice(test, { timeZone: 'UTC', ...organization });
      const { organizationId, survey } = practice;
      const schedule = await prisma.scheduledCheckIn.create({
        data: {
          organizationId,
          name: 'Daily',
          scheduleTime: '09:00',
          schedulePeriod: 'daily',
          startsOn: day('2031-03-10'),
          nextRunAt: new Date('2031-03-10T09:00:00Z'),
          surveys: { create: { surveyTypeId: survey.id } },
          ...data,
        },
      });
      return { ...practice, schedule };
    },

    /** Ends the schedules of a test before the next one. */
    endAll: () => prisma.scheduledCheckIn.updateMany({ data: { active: false } }),

    async name(of: Due, patients: { id: number }[], channel = 'sms') {
      await prisma.scheduledCheckInRecipient.createMany({
        data: patients.map(({ id: patientId }) => ({ ...ofSchedule(of), patientId, channel })),
      });
    },

    manyPatients({ organizationId }: Due, count: number) {
      const data = Array.from({ length: count }, () => ({ organizationId, firstName: 'Pat', lastName: 'Many', mobilePhone: anyNumber() }));
      return prisma.patient.createManyAndReturn({ data, select: { id: true } });
    },

    sent: (of: Due) =>
      prisma.checkIn.findMany({
        where: ofSchedule(of),
        include: { text: true, mail: true },
        orderBy: [{ occurrenceOn: 'asc' }, { patientId: 'asc' }, { surveyTypeId: 'asc' }],
      }),

    async next({ organizationId, schedule: { id } }: Due) {
      const { nextRunAt } = await prisma.scheduledCheckIn.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
      return nextRunAt?.toISOString();
    },

    async events({ organizationId, schedule: { id: subjectId } }: Due) {
      const found = await prisma.event.findMany({
        where: { organizationId, subjectType: 'scheduled_check_in', subjectId },
        orderBy: { id: 'asc' },
      });
      return found.map(({ name }) => name);
    },
  };
}
