import { randomUUID } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { earliest, later } from './dates.ts';
import type { Person } from './people.ts';
import { closedLink, cycle, inOrder } from './random.ts';
import { chooseChannel } from './schedules.ts';
import type { Booking } from './scheduling.ts';
import type { Seeding } from './seeding.ts';
import { seedChats } from './session-chats.ts';

const DAY = 24 * 60;

/** A video visit: its appointment's row with what telehealth needs certain. */
export interface Visit {
  appointmentId: number;
  hostUserId: number;
  waitingRoomId: number;
  patient: Person;
  startsAt: Date;
  endsAt: Date;
  status: Booking['status'];
}

export type SessionVisit = Visit & { videoSessionId: number };

/** A session for each visit, and some meetings of the staff without a patient. Answers the visits with their sessions. */
export async function seedSessions(seeding: Seeding, random: Faker, kept: Visit[], coming: Visit[]): Promise<SessionVisit[]> {
  const { tx } = seeding;
  const visits = [...kept, ...coming];
  const sessions = inOrder(
    await tx.videoSession.createManyAndReturn({
      data: [...visits.map((visit) => visitSession(seeding, visit)), ...[1, 4, 9].map((days) => meeting(seeding, days))],
      select: { id: true },
    }),
  );
  const withSession = visits.map((visit, index) => ({ ...visit, videoSessionId: cycle(sessions, index).id }));
  await seedInvites(seeding, withSession);
  await seedPresences(seeding, random, withSession.slice(0, kept.length));
  return withSession;
}

function visitSession(
  { now, organizationId }: Seeding,
  { appointmentId, hostUserId, startsAt, endsAt }: Visit,
): Prisma.VideoSessionCreateManyInput {
  return {
    organizationId,
    hostUserId,
    appointmentId,
    guid: randomUUID(),
    guestLinkHash: closedLink(),
    createdAt: earliest(later(startsAt, -DAY), later(now, -60)),
    expiresAt: later(endsAt, 120),
    startedAt: startsAt < now ? startsAt : null,
    endedAt: endsAt < now ? endsAt : null,
    visit: startsAt < now ? 1 : 0,
  };
}

function meeting({ now, organizationId, staff, admin }: Seeding, daysAgo: number): Prisma.VideoSessionCreateManyInput {
  const createdAt = later(now, -daysAgo * DAY);
  return {
    organizationId,
    hostUserId: (staff[0] ?? admin).id,
    kind: 'meet',
    guid: randomUUID(),
    guestLinkHash: closedLink(),
    createdAt,
    expiresAt: later(createdAt, DAY),
    startedAt: later(createdAt, 2),
    endedAt: later(createdAt, 31),
  };
}

/** A day before each visit, with the text or mail that took it there. Two were withdrawn. */
async function seedInvites(seeding: Seeding, visits: SessionVisit[]): Promise<void> {
  const { tx } = seeding;
  const invites = visits.flatMap((visit, index) => invite(seeding, visit, index));
  const [texts, mails] = [invites.filter(({ channel }) => channel === 'sms'), invites.filter(({ channel }) => channel === 'email')];
  const sms = inOrder(
    await tx.smsMessage.createManyAndReturn({ data: texts.map((one, index) => toText(seeding, one, index)), select: { id: true } }),
  );
  const mail = inOrder(await tx.mailMessage.createManyAndReturn({ data: mails.map((one) => toMail(seeding, one)), select: { id: true } }));
  await tx.sessionInvite.createMany({
    data: [
      ...texts.map((one, index) => ({ ...one, smsMessageId: cycle(sms, index).id })),
      ...mails.map((one, index) => ({ ...one, mailMessageId: cycle(mail, index).id })),
    ],
  });
}

type Invite = Pick<Prisma.SessionInviteCreateManyInput, 'organizationId' | 'channel' | 'sentTo' | 'linkHash'> & {
  videoSessionId: number;
  patientId: number;
  createdAt: Date;
  expiresAt: Date;
  withdrawnAt: Date | null;
};

function invite({ now, organizationId }: Seeding, { videoSessionId, patient, startsAt, endsAt }: SessionVisit, index: number): Invite[] {
  const channel = chooseChannel(patient);
  const sentTo = channel === 'sms' ? patient.mobilePhone : patient.email;
  if (!sentTo) return [];
  const createdAt = earliest(later(startsAt, -DAY), later(now, -50));
  const withdrawnAt = index % 12 === 11 ? later(createdAt, 5) : null;
  const link = { linkHash: closedLink(), createdAt, expiresAt: later(endsAt, 120), withdrawnAt };
  return [{ organizationId, videoSessionId, patientId: patient.id, channel, sentTo, ...link }];
}

const words = ({ practice }: Seeding) => `Join your video visit with ${practice.name} here: {{url}}`;

function toText(
  seeding: Seeding,
  { organizationId, patientId, sentTo, createdAt }: Invite,
  index: number,
): Prisma.SmsMessageCreateManyInput {
  const { plan, offices } = seeding;
  const sentAt = later(createdAt, 0.1);
  return {
    organizationId,
    patientId,
    toNumber: sentTo,
    direction: 'outbound',
    body: words(seeding),
    state: 'delivered',
    attempts: 1,
    fromNumber: cycle(offices, 0).phone ?? null,
    carrierId: `SM-${plan.key}-video-${index + 1}`,
    queuedAt: createdAt,
    sentAt,
    deliveredAt: later(sentAt, 0.2),
  };
}

function toMail(seeding: Seeding, { organizationId, patientId, sentTo, createdAt }: Invite): Prisma.MailMessageCreateManyInput {
  const subject = `Your video visit with ${seeding.practice.name}`;
  const sent = { state: 'sent' as const, attempts: 1, queuedAt: createdAt, sentAt: later(createdAt, 0.1) };
  return { organizationId, patientId, toAddress: sentTo, subject, body: words(seeding), ...sent };
}

async function seedPresences(seeding: Seeding, random: Faker, visits: SessionVisit[]): Promise<void> {
  const { tx, organizationId } = seeding;
  const presences = visits.flatMap(
    ({ videoSessionId, hostUserId, patient, startsAt, endsAt }): Prisma.SessionParticipantCreateManyInput[] => {
      const waitingSince = later(startsAt, -random.number.int({ min: 1, max: 9 }));
      const both = { organizationId, videoSessionId, lastSeenAt: endsAt, leftAt: endsAt };
      const displayName = patient.firstName ?? patient.lastName;
      return [
        { ...both, role: 'host', userId: hostUserId, joinedAt: later(startsAt, -1) },
        { ...both, role: 'guest', patientId: patient.id, displayName, waitingSince, visit: 1, admittedAt: startsAt, joinedAt: startsAt },
      ];
    },
  );
  const people = inOrder(await tx.sessionParticipant.createManyAndReturn({ data: presences, select: { id: true } }));
  await seedChats(
    seeding,
    visits.map(({ videoSessionId, startsAt }, index) => ({
      videoSessionId,
      startsAt,
      hostParticipantId: cycle(people, 2 * index).id,
      guestParticipantId: cycle(people, 2 * index + 1).id,
    })),
  );
  const held = visits.map(({ videoSessionId, patient, appointmentId, startsAt, endsAt }) => ({
    organizationId,
    videoSessionId,
    patientId: patient.id,
    appointmentId,
    visit: 1,
    startedAt: startsAt,
    endedAt: endsAt,
  }));
  await tx.telehealthVisit.createMany({ data: held });
}
