import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { receiveText } from '../../src/domain/messaging/inbound/inbound-texts.ts';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import type { SmsMessage } from '../../src/generated/prisma/client.ts';
import { offerFreedTimes, sendDueLinks } from '../../src/jobs/due-work.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { openQueueing, practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from './actors.ts';
import type { TestApp } from './app.ts';
import { createAppointmentType, createOffice, createPatient, createProvider } from './factories.ts';
import { anyNumber } from './phone-numbers.ts';

const OURS = '+19105550100';
const ORIGIN = 'https://clinic.example';

/** A practice whose doctor sees patients on Mondays from nine to noon in Denver, for an hour each: 2031-03-03 is one. */
export async function waitlistPractice(test: TestApp, organization: object = {}) {
  const db = test.database.prisma;
  const organizationId = await practiceWithNumber(test, { name: 'Hudson', timeZone: 'America/Denver', ...organization });
  const own = { organizationId };
  const admin = await signedInUser(test, { ...own, type: 'admin' });
  const office = await createOffice(db, { ...own, name: 'North', timeZone: 'America/Denver' });
  const provider = await createProvider(db, { ...own, firstName: 'Ada', lastName: 'Doe', displayName: 'Dr. Doe' });
  const type = await createAppointmentType(db, { ...own, name: 'Visit', durationMinutes: 60 });
  const place = { providerId: provider.id, officeId: office.id };
  await db.availability.create({ data: { ...own, ...place, weekday: 1, fromMinute: 540, untilMinute: 720 } });
  const sending = openQueueing(test);
  await sending.outbox.open();

  const patient = async (data: object = {}) => createPatient(db, { ...own, firstName: 'Ann', mobilePhone: anyNumber(), ...data });
  const freeTimes = async (): Promise<{ uuid: number; starts_at_local: string }[]> =>
    (await admin.get(`/slots?type=${type.id}&from=2031-03-03&until=2031-03-09`)).body.data;
  const times = async () => (await freeTimes()).map((one) => one.starts_at_local.slice(11, 16));
  const textsTo = async (number: string | null) =>
    db.smsMessage.findMany({ where: { ...own, toNumber: number ?? '', direction: 'outbound' }, orderBy: { id: 'asc' } });

  return {
    db,
    own,
    admin,
    office,
    provider,
    type,
    patient,
    freeTimes,
    times,
    sending,
    /** Books a time of the first Monday, such as `09:00`. @returns the id of the appointment */
    async book(time: string, patientId?: number): Promise<number> {
      const slot = (await freeTimes()).find((one) => one.starts_at_local.endsWith(`T${time}:00`))?.uuid;
      const booked = await admin.post('/appointments').send({ slot, patient_id: patientId ?? (await patient()).id });
      expect(booked.status, booked.text).toBe(201);
      return booked.body.data.uuid;
    },
    async wait(patientId: number, fields: object = {}): Promise<number> {
      const added = await admin.post('/waitlist').send({ patient_id: patientId, appointment_type_id: type.id, ...fields });
      expect(added.status, added.text).toBe(201);
      return added.body.data.uuid;
    },
    cancel: async (id: number) => expect((await admin.delete(`/appointments/${id}`)).status).toBe(204),
    /** The job that looks every two seconds. */
    offer: (clock?: () => Date) => offerFreedTimes({ ...test.services, origin: ORIGIN }, clock),
    /** All texts that wait leave. */
    async leave(): Promise<void> {
      const job = sendTexts({
        unitOfWork: sending.unitOfWork,
        keyring: test.keyring,
        carrier: createLocalCarrier(db, test.keyring),
        statusUrl: null,
      });
      const queued = await db.smsMessage.findMany({ where: { ...own, state: 'queued' }, orderBy: { id: 'asc' } });
      for (const { id } of queued) await job.run(organizationId, id);
    },
    async write(from: string | null, body: string): Promise<void> {
      const text = { id: `SM-${randomUUID()}`, from: from ?? '', to: OURS, body, at: new Date() };
      await sending.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) => receiveText(tx, text));
    },
    textsTo,
    lastTextTo: async (number: string | null) => (await textsTo(number)).at(-1)?.body ?? '',
    /** Nobody answers: the time of each open offer is over. */
    async pass(): Promise<void> {
      const past = new Date(Date.now() - 1_000);
      await db.slotOffer.updateMany({ where: { ...own, state: 'open' }, data: { expiresAt: past } });
      await db.slotClaim.updateMany({
        where: { ...own, holder: { startsWith: 'offer:' }, appointmentId: null },
        data: { expiresAt: past },
      });
      await db.freedTime.updateMany({ where: own, data: { dueAt: past } });
    },
    offers: () => db.slotOffer.findMany({ where: own, orderBy: { id: 'asc' } }),
    /** Path of the page of the latest offer that was mailed. */
    async offerAddress(): Promise<string> {
      const mail = await db.mailMessage.findFirstOrThrow({ where: own, orderBy: { id: 'desc' } });
      return new URL(/https:\S+/.exec(fillSealedPlaceholders(test.keyring, 'mail', mail))?.[0] ?? '').pathname;
    },
    /** @returns a template that asks for a yes or no */
    async question(): Promise<number> {
      const asking = { ...own, category: 'reminder', name: 'Question', body: '{{appointment date}}? Reply Y or N.', tracksResponse: true };
      return (await db.smsTemplate.create({ data: asking })).id;
    },
    /** The job that sends links to who declined. */
    sendLinks: () => sendDueLinks({ ...test.services, origin: ORIGIN }),
    addressIn: (text: SmsMessage | undefined): string =>
      new URL(/https:\S+/.exec(text ? fillSealedPlaceholders(test.keyring, 'text', text) : '')?.[0] ?? '').pathname,
    left: () => db.freedTime.count({ where: own }),
  };
}
