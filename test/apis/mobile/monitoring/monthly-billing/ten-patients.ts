import { randomBytes, randomUUID } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import type { MonitoringService } from '../../../../../src/generated/prisma/client.ts';
import { signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';
import { createPatient, createProvider } from '../../../../support/factories.ts';
import { createItem, createProgram } from '../care.ts';
import { createCheckIn, openMeasuring } from '../readings/reported.ts';

const RPM = '/remote-patient-monitoring';
const ZONE = 'America/New_York';

/** The month that is over in the practice, and the month before. */
export const MONTH = Temporal.Now.zonedDateTimeISO(ZONE).toPlainDate().toPlainYearMonth().subtract({ months: 1 });
export const BEFORE = MONTH.subtract({ months: 1 });

/** A time on the practice's clock, as an instant: `at(MONTH, 3, '09:00')`. */
const at = (month: Temporal.PlainYearMonth, day: number, clock: string): string =>
  month.toPlainDate({ day }).toZonedDateTime({ timeZone: ZONE, plainTime: clock }).toInstant().toString();

type Day = readonly [month: Temporal.PlainYearMonth, day: number];

/** Work on a patient: a day of the month (0 is the last one before), its beginning on the practice's clock, and its minutes. */
type Work = readonly [day: number, clock: string, minutes: number];

interface Measuring {
  month?: Temporal.PlainYearMonth;
  self?: boolean;
  /** The device, or what the patient reports. */
  by?: 'cuff' | 'knee' | 'inhaler';
}

/** A practice with a nurse, a doctor, an admin and two programs, in which patients live through a month. */
export async function openTenPatients(test: TestApp) {
  const { prisma } = test.database;
  const nurse = await signedInUser(test);
  const { organizationId } = nurse;
  const doctor = await signedInUser(test, { organizationId, type: 'provider' });
  const admin = await signedInUser(test, { organizationId, type: 'admin' });
  const provider = await createProvider(prisma, { organizationId, userId: doctor.user.id });
  const { systolic } = await openMeasuring(prisma, organizationId);
  const knee = await createItem(prisma, {
    organizationId,
    name: 'Knee steps',
    unit: null,
    kind: 'musculoskeletal',
    minTarget: null,
    maxTarget: null,
  });
  const inhaler = await createItem(prisma, {
    organizationId,
    name: 'Puffs',
    unit: null,
    kind: 'respiratory',
    minTarget: null,
    maxTarget: null,
  });
  const items = { cuff: { id: systolic.id, unit: 'mmHg' }, knee, inhaler };
  const programs: Partial<Record<MonitoringService, number>> = {};
  const findOrCreateProgram = async (service: MonitoringService): Promise<number> => {
    programs[service] ??= (await createProgram(prisma, { organizationId, name: service, service })).id;
    return programs[service];
  };
  const sentAt = new Date(at(BEFORE, 1, '08:00'));

  return {
    nurse,
    doctor,
    admin,
    at,
    /** A check-in that was sent on the first day of the month before. */
    sent: (patientId: number) => createCheckIn(prisma, { organizationId, patientId, sentAt }),

    /** A patient of the doctor, who is in programs since a day. */
    async patient(lastName: string, services: readonly MonitoringService[], [month, day]: Day = [MONTH, 1]): Promise<number> {
      const { id } = await createPatient(prisma, { organizationId, lastName, primaryProviderId: provider.id });
      for (const service of services) {
        const enrolment = {
          organizationId,
          patientId: id,
          programId: await findOrCreateProgram(service),
          addedAt: new Date(at(month, day, '07:00')),
        };
        await prisma.programPatient.create({ data: enrolment });
      }
      return id;
    },

    async consent(patientId: number, [month, day]: Day = [BEFORE, 1], revoked = false): Promise<void> {
      const body = { given_at: at(month, day, '08:00'), how: 'written', revoked };
      await nurse.post(`${RPM}/patients/${patientId}/consent`).send(body).expect(201);
    },

    /** A reading on each day from one to another, from a device or reported by the patient. */
    async measure(
      patientId: number,
      from: number,
      to: number,
      { month = MONTH, self = false, by = 'cuff' }: Measuring = {},
    ): Promise<void> {
      const source = self ? { source: 'self' } : { device: { identifier: `${by}-${patientId}` } };
      const { id: item_uuid, unit } = items[by];
      const days = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      const readings = days.map((day) => {
        const measured = { patient_uuid: patientId, item_uuid, value: 120, ...(unit === null ? {} : { unit }) };
        return { ...measured, measured_at: at(month, day, '10:00'), ...source };
      });
      const { body } = await nurse.post(`${RPM}/readings`).send({ readings });
      if (body.data?.stored !== days.length) throw new Error(`not stored: ${JSON.stringify(body)}`);
    },

    /** The nurse's reviews, each with a live contact, which an admin records. @returns their ids */
    async work(patientId: number, ...all: readonly Work[]): Promise<number[]> {
      const ids: number[] = [];
      for (const [day, clock, minutes] of all) {
        const checkIn = await createCheckIn(prisma, { organizationId, patientId, sentAt });
        const started_at = day === 0 ? at(BEFORE, BEFORE.daysInMonth, clock) : at(MONTH, day, clock);
        const body = { checkin_uuid: checkIn.id, user_uuid: nurse.user.id, minutes, started_at, live_contact: true, reason: 'On paper.' };
        const answer = await admin.post(`${RPM}/checkin-reviews`).send(body);
        if (answer.status !== 201) throw new Error(answer.text);
        ids.push(answer.body.data.uuid);
      }
      return ids;
    },

    /** A video visit with the doctor. */
    async visit(patientId: number, day: number, clock: string, minutes: number): Promise<void> {
      const joinedAt = new Date(at(MONTH, day, clock));
      const leftAt = new Date(joinedAt.getTime() + minutes * 60_000);
      const link = { guid: randomUUID(), guestLinkHash: new Uint8Array(randomBytes(32)), expiresAt: leftAt };
      const session = await prisma.videoSession.create({ data: { organizationId, hostUserId: doctor.user.id, ...link } });
      const there = { organizationId, videoSessionId: session.id, joinedAt, admittedAt: joinedAt, leftAt, lastSeenAt: leftAt };
      await prisma.sessionParticipant.createMany({
        data: [
          { ...there, role: 'host', userId: doctor.user.id },
          { ...there, role: 'guest', patientId, visit: 1 },
        ],
      });
    },

    policy: (data: { monitoringReadings?: 'device' | 'any'; monitoringPeriod?: 'calendar_month' | 'thirty_days' }) =>
      prisma.organization.update({ where: { id: organizationId }, data, select: { id: true } }),
  };
}
