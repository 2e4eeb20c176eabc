import type { Faker } from '@faker-js/faker';
import { recipientLanguage } from '../../src/domain/messaging/recipients/recipient-language.ts';
import { appointmentStartValues, practiceValues } from '../../src/domain/messaging/templates/placeholder-values.ts';
import { renderTemplate } from '../../src/domain/messaging/templates/placeholders.ts';
import { chooseWording } from '../../src/domain/messaging/templates/template-wordings.ts';
import { findActiveTemplate, type SmsTemplate } from '../../src/domain/messaging/templates/templates.ts';
import { inPractice } from '../../src/domain/tx.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { earliest, later } from './dates.ts';
import type { People, Person } from './people.ts';
import { cycle, drawn } from './random.ts';
import type { Booking } from './scheduling.ts';
import { areaRandom, type Seeding } from './seeding.ts';

const DAY = 24 * 60;

const REPLIES = [
  'Thank you, we will call you back today.',
  'Please arrive ten minutes early and bring your insurance card.',
  'Your prescription was sent to your pharmacy.',
  'If this is an emergency, call 911.',
];

/** Canned replies, who opted out, and texts in every state. */
export async function seedTexts(seeding: Seeding, people: People, bookings: Booking[]): Promise<void> {
  const { tx, organizationId, staff } = seeding;
  const reminder = await findActiveTemplate(inPractice(tx, seeding.organizationId), 'reminder');
  if (!reminder) throw new Error('the file of a demo practice has no reminder in use');
  await tx.cannedReply.createMany({
    data: REPLIES.map((message, index) => ({ organizationId, message, userId: index === 0 ? null : (staff[0]?.id ?? null) })),
  });
  const reachable = new Map(people.active.filter(({ mobilePhone }) => mobilePhone).map((patient) => [patient.id, patient]));
  const optedOut = [...reachable.values()].filter(({ doNotSms }) => doNotSms);
  await seedOptOuts(
    seeding,
    optedOut,
    [...reachable.values()].find(({ doNotSms }) => !doNotSms),
  );
  await tx.smsMessage.createMany({
    data: [...reminders(seeding, bookings, reachable, reminder), ...inbound(seeding, [...reachable.values()])],
  });
  // Each reminder asks about the appointment at its time; who has answered is asked no more.
  await tx.$executeRaw`
    INSERT INTO text_appointment (organization_id, sms_message_id, appointment_id, patient_id, starts_at, question)
    SELECT ${organizationId}::int, m.id, a.id, m.patient_id, a.starts_at,
           CASE a.confirmation WHEN 'Pending' THEN 'open' ELSE 'answered' END::text_question_state
      FROM sms_message m JOIN appointment a ON a.organization_id = m.organization_id AND a.id = m.appointment_id
     WHERE m.organization_id = ${organizationId} AND m.direction = 'outbound' AND a.starts_at IS NOT NULL`;
  await tx.$executeRaw`
    UPDATE appointment a SET initial_sms_sent = m.state IN ('sent', 'delivered')
      FROM sms_message m
     WHERE a.organization_id = ${organizationId} AND m.organization_id = a.organization_id AND m.appointment_id = a.id
       AND m.direction = 'outbound' AND m.patient_id = a.patient_id`;
}

/** Those who want no texts said so by text; one changed their mind. */
async function seedOptOuts({ tx, now, organizationId }: Seeding, optedOut: Person[], returned: Person | undefined): Promise<void> {
  const entry = (number: string | null, keyword: string, daysAgo: number) =>
    number
      ? [{ organizationId, number, keyword, optedOut: keyword !== 'START', source: 'text', recordedAt: later(now, -daysAgo * DAY) }]
      : [];
  const stops = optedOut.flatMap(({ mobilePhone }, index) =>
    entry(mobilePhone, cycle(['STOP', 'UNSUBSCRIBE', 'STOPALL'], index), 40 + index),
  );
  const back = returned?.mobilePhone ?? null;
  await tx.optOut.createMany({ data: [...stops, ...entry(back, 'STOP', 20), ...entry(back, 'START', 12)] });
}

/** A reminder a day before each recent appointment, and one before each of the next days that still waits. */
function reminders(
  seeding: Seeding,
  bookings: Booking[],
  reachable: Map<number, Person>,
  template: SmsTemplate,
): Prisma.SmsMessageCreateManyInput[] {
  const { now } = seeding;
  const random = areaRandom(seeding, 'texts');
  const near = bookings.filter(({ startsAt }) => startsAt && startsAt > later(now, -21 * DAY) && startsAt < later(now, 3 * DAY));
  return near.flatMap((booking, index) => {
    const patient = reachable.get(booking.patientId ?? 0);
    const number = patient?.mobilePhone;
    if (!patient || !number || !booking.startsAt || (booking.status === 'cancelled' && booking.startsAt > now)) return [];
    const due = later(booking.startsAt, -DAY);
    return [
      {
        ...reminderText(seeding, booking, patient, template),
        ...fate(random, { due, now, index, doNotSms: patient.doNotSms, key: seeding.plan.key }),
        toNumber: number,
        templateId: template.id,
      },
    ];
  });
}

function reminderText(
  { practice, offices, organizationId }: Seeding,
  { id, startsAt, timeZone }: Booking,
  patient: Person,
  template: SmsTemplate,
): Pick<
  Prisma.SmsMessageCreateManyInput,
  'organizationId' | 'direction' | 'patientId' | 'appointmentId' | 'fromNumber' | 'body' | 'language'
> {
  const { name, phone = null } = practice;
  const { own: language } = recipientLanguage(patient.languageCode, null);
  const { body: words } = chooseWording(template, { patient: language, practice: 'en' });
  const written = { tag: language, patientZone: patient.timeZone };
  const whose = { ...practiceValues({ name, phone }), 'first name': patient.firstName ?? patient.lastName ?? '' };
  return {
    organizationId,
    direction: 'outbound',
    patientId: patient.id,
    appointmentId: id,
    fromNumber: cycle(offices, 0).phone ?? null,
    body: renderTemplate(words, { ...whose, ...(startsAt ? appointmentStartValues(startsAt, timeZone, written) : {}) }).text,
    language,
  };
}

interface Sending {
  /** The scheduled time of the text. */
  due: Date;
  now: Date;
  index: number;
  doNotSms: boolean;
  key: string;
}

function fate(
  random: Faker,
  { due, now, index, doNotSms, key }: Sending,
): Pick<
  Prisma.SmsMessageCreateManyInput,
  'state' | 'reason' | 'carrierId' | 'notBefore' | 'attempts' | 'queuedAt' | 'attemptedAt' | 'sentAt' | 'deliveredAt'
> {
  const queuedAt = earliest(due, later(now, -5));
  const outcome = drawn(random, { delivered: 80, sent: 8, failed: 12 });
  const idle = { carrierId: null, notBefore: null, attemptedAt: null, sentAt: null, deliveredAt: null };
  if (doNotSms) return { ...idle, state: 'suppressed', reason: 'opted_out', attempts: 0, queuedAt };
  if (due > now) return { ...idle, state: 'queued', reason: null, attempts: 0, queuedAt, notBefore: due };
  const sentAt = later(queuedAt, 0.1);
  const handed = { queuedAt, sentAt, attemptedAt: queuedAt, notBefore: null, carrierId: `SM-${key}-${index + 1}`, attempts: 1 };
  if (outcome === 'failed') return { ...handed, state: 'failed', reason: 'unreachable', deliveredAt: null };
  return { ...handed, state: outcome, reason: null, deliveredAt: outcome === 'delivered' ? later(sentAt, 0.2) : null };
}

function inbound(seeding: Seeding, patients: Person[]): Prisma.SmsMessageCreateManyInput[] {
  const { now, plan, offices, organizationId } = seeding;
  const words = ['YES', 'Yes, thank you', 'NO', 'Can I come at 3 instead?', 'Where do I park?'];
  const spanish = ['SÍ', 'Sí, gracias', 'NO', '¿Puedo ir a las 3?', '¿Dónde me estaciono?'];
  return patients
    .filter(({ doNotSms }) => !doNotSms)
    .slice(0, 18)
    .map(({ id, mobilePhone, languageCode }, index) => ({
      organizationId,
      direction: 'inbound' as const,
      patientId: id,
      fromNumber: mobilePhone,
      toNumber: cycle(offices, 0).phone ?? '',
      body: cycle(languageCode === 'spa' ? spanish : words, index),
      state: 'received' as const,
      carrierId: `SM-${plan.key}-in-${index + 1}`,
      queuedAt: later(now, -(index + 1) * DAY),
    }));
}
