import { afterAll, beforeAll, expect } from 'vitest';
import type { Carrier } from '../../src/gateways/carrier/carrier.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { sendVisitMessages } from '../../src/jobs/due-work.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { sendWebhook } from '../callbacks/signing.ts';
import { AWAKE, openQueueing } from '../jobs/outgoing.ts';
import { type Actor, integrationClient, signedInUser } from '../support/actors.ts';
import type { Served } from '../support/app.ts';
import { arrivedTexts } from '../support/arrived.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { quietNow } from '../support/quiet-hours.ts';
import { namedIn } from './conversation-words.ts';
import type { Answer, Left, Letter, Patient, Visit, World } from './conversation-world.ts';

/** A practice, with somebody of its staff and another system of it. */
export interface Practice {
  organizationId: number;
  name: string;
  number: string;
  staff: Actor;
  systems: Actor;
  signedInAt: number;
  templates: Record<'asking' | 'telling', number>;
  providers: readonly [number, number];
  surveyTypeId: number;
}

/** The moment of a kill: the worker is gone before the carrier has the text, or before the carrier's response is recorded. */
export type Kill = 'never' | 'before' | 'after';

/** Kills the worker in the place of the carrier's response: what follows is never run. */
class Killed extends Error {}

const HOURS = [9, 10] as const;

/** Two practices that talk to the same phones. */
export function openPractices(test: Served) {
  const sending = openQueueing(test);
  const db = test.database.prisma;
  const practices: Practice[] = [];
  beforeAll(async () => {
    await sending.outbox.open();
    for (const name of ['Hudson', 'Elm Street']) practices.push(await openPractice(test, name));
  });
  afterAll(() => sending.outbox.close());
  const findPractice = (index: number): Practice => {
    const practice = practices[index];
    if (!practice) throw new Error('no such practice');
    return practice;
  };

  /** Three patients and their appointments, whom nobody has written to. Ann and Ben share a phone or not; Cam has Ann's phone, at another practice. A third phone is nobody's. */
  async function openStory({ shared, spanish }: { shared: boolean; spanish: boolean }): Promise<World> {
    for (const practice of practices)
      if (Date.now() - practice.signedInAt > SIGNED_IN_MS) Object.assign(practice, await createCallers(test, practice.organizationId));
    const [first, second] = [anyNumber(), anyNumber()];
    const people: Patient[] = [];
    const others = [
      ['Ann', 0, first],
      ['Ben', 0, shared ? first : second],
      ['Cam', 1, first],
    ] as const;
    for (const [firstName, practice, phone] of others) {
      const { organizationId } = findPractice(practice);
      const languageCode = spanish ? 'spa' : 'eng';
      const { id } = await createPatient(db, { organizationId, firstName, mobilePhone: phone, languageCode, timeZone: null });
      people.push({ id, practice, phone });
    }
    const visits: Visit[] = [];
    for (const [index, person] of [0, 0, 1, 2].entries()) {
      const patient = people[person];
      if (!patient) continue;
      const { staff, providers } = findPractice(patient.practice);
      const minute = index + 1;
      const booking = { appointment_date: writeStart(9, minute), patient_id: patient.id, provider_id: providers[0], user: [] };
      const booked = await staff.post('/appointments/').send(booking);
      expect([booked.status, booked.text]).toEqual([201, booked.text]);
      const { practice } = patient;
      visits.push({
        id: booked.body.data.uuid,
        minute,
        practice,
        patient,
        hour: 9,
        cancelled: false,
        confirmation: 'Pending',
        decidedAt: new Date(0),
      });
    }
    for (const { organizationId } of practices) await db.organization.update({ where: { id: organizationId }, data: AWAKE });
    return { people, visits, phones: [first, second, anyNumber()], left: [], isCertain: true, confirmed: new Map() };
  }

  /** A worker runs the jobs of all texts that wait. */
  async function work(world: World, { kill, twice }: { kill: Kill; twice: boolean }): Promise<void> {
    const carrier = recordingCarrier(world, kill);
    const job = sendTexts({ unitOfWork: sending.unitOfWork, keyring: test.keyring, carrier, statusUrl: null });
    const waiting = await db.smsMessage.findMany({
      where: { toNumber: { in: world.phones }, direction: 'outbound', state: 'queued' },
      select: { id: true, organizationId: true },
      orderBy: { id: 'asc' },
    });
    for (const { id, organizationId } of waiting) {
      const results = await Promise.all((twice ? [1, 2] : [1]).map(() => job.run(organizationId, id)));
      expect(results.every((result) => kill !== 'never' || result === 'done')).toBe(true);
    }
  }

  /** The carrier, with its own record of what it has taken. */
  function recordingCarrier(world: World, kill: Kill): Carrier {
    const carrier = createLocalCarrier(db, test.keyring);
    return {
      ...carrier,
      sendText: async (text) => {
        if (kill !== 'never') world.isCertain = false;
        if (kill === 'before') throw new Killed();
        const sent = await carrier.sendText(text);
        const known = world.left.find(({ reference }) => reference === text.reference);
        if (known) expect(text.body).toBe(known.body);
        else world.left.push(leaving(world, practices, { ...text, at: new Date() }));
        if (kill === 'after') throw new Killed();
        return sent;
      },
    };
  }

  /** Reads in the carrier's own record what it has taken. */
  async function readLeft(world: World): Promise<void> {
    const taken = await arrivedTexts(db, test.keyring, { toNumber: { in: world.phones } });
    world.left = taken.map(({ reference, fromNumber: from, toNumber: to, body, receivedAt: at }) =>
      leaving(world, practices, { reference, from, to, body, at }),
    );
  }

  /** The carrier brings a text. It tries again where the server was not available, so often at most. */
  const deliver = async (practice: number, letter: Letter, attempts = 5): Promise<void> => {
    const { id, from, body, at } = letter;
    // A text without words is a picture.
    const picture = body === '' ? { pictures: '1' } : {};
    const form = { kind: 'text', id, from, to: findPractice(practice).number, body, at: at.toISOString(), ...picture };
    const { status } = await sendWebhook(test, form);
    if (status === 503 && attempts > 1) return deliver(practice, letter, attempts - 1);
    expect(status).toBe(200);
  };
  const countReplies = (phone: string) => db.smsMessage.count({ where: { toNumber: phone, isReply: true } });
  const readConfirmation = async ({ id, practice }: Visit): Promise<Answer | null> => {
    const found = await findPractice(practice).staff.get(`/appointments/${id}`);
    return found.status === 404 ? null : found.body.data.confirmation.status;
  };
  const sleepTight = async (practice: number, quiet: boolean) => {
    await db.organization.update({ where: { id: findPractice(practice).organizationId }, data: quiet ? quietNow() : AWAKE });
  };
  /** The job of reminders, as it runs so many days before the visits of all stories. */
  const remind = async ({ days, twice }: { days: number; twice: boolean }): Promise<void> => {
    const now = new Date(Date.parse(`${writeStart(10, 59)}-05:00`) - days * 86_400_000);
    await Promise.all((twice ? [1, 2] : [1]).map(() => sendVisitMessages({ ...sending, database: test.database }, () => now)));
  };
  return { findPractice, openStory, work, readLeft, deliver, countReplies, readConfirmation, sleepTight, remind };
}

export type Practices = ReturnType<typeof openPractices>;

export const writeStart = (hour: number, minute: number): string =>
  `2031-03-04T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`;

export const findHour = (index: number): number => HOURS[index % HOURS.length] ?? 9;

/** The text that the carrier has taken. */
type Taken = Pick<Left, 'reference' | 'to' | 'body' | 'at'> & { from: string };

function leaving(world: World, practices: readonly Practice[], { reference, from, to, body, at }: Taken): Left {
  const named = namedIn(body).flatMap((one) => {
    const visit = world.visits.find(({ minute }) => minute === one.minute);
    return visit ? [{ ...one, patientId: visit.patient.id }] : [];
  });
  return { reference, practice: practices.findIndex(({ number }) => number === from), to, body, at, named };
}

/** Milliseconds after which callers get new tokens, which live for a quarter of an hour. */
const SIGNED_IN_MS = 600_000;

const createCallers = async (test: Served, organizationId: number) => ({
  staff: await signedInUser(test, { organizationId }),
  systems: await integrationClient(test, { organizationId }),
  signedInAt: Date.now(),
});

async function openPractice(test: Served, name: string): Promise<Practice> {
  const db = test.database.prisma;
  const { id: organizationId } = await createOrganization(db, { name, phone: '+19105550177', ...AWAKE });
  const number = anyNumber('1984');
  await db.phoneNumber.create({ data: { organizationId, number, kind: 'plain', carrier: 'local', carrierId: 'PN-1' } });
  const provider = async (lastName: string) =>
    (await db.provider.create({ data: { organizationId, firstName: 'Li', lastName, displayName: `Dr. ${lastName}` } })).id;
  const template = async (tracksResponse: boolean) => {
    const body = '{{first name}}: {{appointment date}}, {{appointment time}}, {{provider name}}.';
    return (
      await db.smsTemplate.create({ data: { organizationId, category: `is ${tracksResponse}`, name: 'Visit', body, tracksResponse } })
    ).id;
  };
  await db.visitMessageRule.create({
    data: { organizationId, kind: 'reminder', enabled: true, offsets: ['2d', '1d'], since: new Date(0) },
  });
  const questions = [{ key: 'feeling', text: 'How do you feel?', kind: 'text' }];
  const { id: surveyTypeId } = await db.surveyType.create({ data: { organizationId, name: 'How are you?', questions } });
  return {
    organizationId,
    name,
    number,
    surveyTypeId,
    ...(await createCallers(test, organizationId)),
    templates: { asking: await template(true), telling: await template(false) },
    providers: [await provider('Chen'), await provider('Ito')],
  };
}
