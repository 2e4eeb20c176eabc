import { randomBytes } from 'node:crypto';
import type { signedInUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { createAppointment } from '../support/schedule.ts';

export const DAY = '2033-05-03';

/** The rows that a list has, as the database keeps them. */
export interface Rows {
  add(place: number): Promise<number>;
  move(id: number, place: number): Promise<unknown>;
  remove(id: number): Promise<unknown>;
  clear(): Promise<unknown>;
}

/** The rows of each kind of list, of one practice. @param patientId whose appointments, check-ins, alerts and readings they are */
export function rowsInMotion(
  { database: { prisma } }: TestApp,
  person: Awaited<ReturnType<typeof signedInUser>>,
  { patientId, itemId }: { patientId: number; itemId: number },
) {
  const { organizationId } = person;
  const key = (id: number) => ({ organizationId_id: { organizationId, id } });
  /** Place 0 is the first hour here: these columns are never null. */
  const at = (where: number) => new Date(`${DAY}T${String(where + 14).padStart(2, '0')}:00:00.${where}17Z`);

  const appointments: Rows = {
    add: async (where) => {
      const fields = { organizationId, patientId, startsAt: `${DAY}T${String(where + 14).padStart(2, '0')}:00:00Z` };
      return (await createAppointment(prisma, fields, [person.user.id])).id;
    },
    move: (id, where) =>
      person
        .post(`/appointments/${id}`)
        .send({ appointment_date: `${DAY}T${String(where + 10).padStart(2, '0')}:00:00` })
        .expect(200),
    remove: (id) => person.delete(`/appointments/${id}`).expect(204),
    clear: () => prisma.appointment.updateMany({ where: { organizationId }, data: { status: 'cancelled' } }),
  };

  const charts: Rows = {
    add: async (where) => (await createPatient(prisma, { organizationId, ...chartAt(where) })).id,
    move: (id, where) => prisma.patient.update({ where: key(id), data: chartAt(where) }),
    remove: (id) => prisma.patient.update({ where: key(id), data: { status: 'deleted' } }),
    clear: () => prisma.patient.updateMany({ where: { organizationId, id: { not: patientId } }, data: { status: 'deleted' } }),
  };
  const chartAt = (where: number) => ({
    firstName: where === 0 ? null : `First${where}`,
    lastName: where === 0 ? null : `Last’${where}`,
    birthDate: where === 0 ? null : new Date(`199${where}-01-01`),
    city: where === 0 ? null : `City ${where}`,
    flags: ['RPM'],
  });

  const texts: Rows = {
    add: async (where) => {
      const fields = { direction: 'outbound', toNumber: '+19105550123', body: 'Hello', state: 'sent' } as const;
      return (await prisma.smsMessage.create({ data: { organizationId, ...fields, queuedAt: at(where) } })).id;
    },
    move: (id, where) => prisma.smsMessage.update({ where: key(id), data: { queuedAt: at(where) } }),
    remove: (id) => prisma.smsMessage.delete({ where: key(id) }),
    clear: () => prisma.smsMessage.deleteMany({ where: { organizationId } }),
  };

  let numbers = 9_105_550_000;
  /** A conversation is known by its number. */
  const conversations: Rows = {
    add: async (where) => {
      numbers += 1;
      const fields = { direction: 'outbound', toNumber: `+1${numbers}`, body: 'Hello', state: 'sent' } as const;
      await prisma.smsMessage.create({ data: { organizationId, ...fields, queuedAt: at(where) } });
      return numbers;
    },
    move: (number, where) =>
      prisma.smsMessage.updateMany({ where: { organizationId, toNumber: `+1${number}` }, data: { queuedAt: at(where) } }),
    remove: (number) => prisma.smsMessage.deleteMany({ where: { organizationId, toNumber: `+1${number}` } }),
    clear: texts.clear,
  };

  const inbox: Rows = {
    add: async (where) => (await prisma.inboxItem.create({ data: { organizationId, latestAt: at(where), urgent: where === 2 } })).id,
    move: (id, where) => prisma.inboxItem.update({ where: key(id), data: { latestAt: at(where) } }),
    remove: (id) => prisma.inboxItem.delete({ where: key(id) }),
    clear: () => prisma.inboxItem.deleteMany({ where: { organizationId } }),
  };

  const answeredAt = (where: number) => (where === 0 ? null : at(where));
  const checkIns: Rows = {
    add: async (where) => {
      const fields = { channel: 'sms', message: 'How are you?', linkHash: randomBytes(32), expiresAt: at(9), sentAt: at(where) };
      return (await prisma.checkIn.create({ data: { organizationId, patientId, ...fields, answeredAt: answeredAt(where) } })).id;
    },
    move: (id, where) => prisma.checkIn.update({ where: key(id), data: { sentAt: at(where), answeredAt: answeredAt(where) } }),
    remove: (id) => prisma.checkIn.delete({ where: key(id) }),
    clear: async () => {
      await prisma.monitoringAlert.deleteMany({ where: { organizationId } });
      await prisma.checkIn.deleteMany({ where: { organizationId } });
    },
  };

  const SEVERITIES = ['watch', 'urgent', 'danger'] as const;
  const raised = (where: number) => ({ severity: SEVERITIES[where % 3] ?? 'watch', gravity: 1 + (where % 3), raisedAt: at(where) });
  const alerts: Rows = {
    add: async (where) => {
      const fields = { kind: 'missed_check_in', checkInId: await checkIns.add(where), occurredAt: at(where), ...raised(where) };
      return (await prisma.monitoringAlert.create({ data: { organizationId, patientId, ...fields } })).id;
    },
    move: (id, where) => prisma.monitoringAlert.update({ where: key(id), data: raised(where) }),
    remove: (id) => prisma.monitoringAlert.delete({ where: key(id) }),
    clear: () => prisma.monitoringAlert.deleteMany({ where: { organizationId } }),
  };

  /** No two readings of an item are of one moment. */
  let moments = 0;
  function measuredAt(where: number): Date {
    moments += 1;
    return new Date(at(where).getTime() + moments);
  }

  const readings: Rows = {
    add: async (where) => {
      const fields = { itemId, value: 70, measuredAt: measuredAt(where), measuredOn: at(where) };
      return (await prisma.reading.create({ data: { organizationId, patientId, ...fields } })).id;
    },
    move: (id, where) => prisma.reading.update({ where: key(id), data: { measuredAt: measuredAt(where) } }),
    remove: (id) => prisma.reading.delete({ where: key(id) }),
    clear: () => prisma.reading.deleteMany({ where: { organizationId } }),
  };
  return { appointments, charts, texts, conversations, inbox, checkIns, alerts, readings };
}
