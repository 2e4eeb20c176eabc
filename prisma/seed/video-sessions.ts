import { randomUUID } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { earliest, later } from './dates.ts';
import type { Person } from './people.ts';
import { closedLink, cycle, inOrder } from './random.ts';
import { channelOf } from './schedules.ts';
import type { Booking } from './scheduling.ts';
import type { Seeding } from './seeding.ts';

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

type SessionVisit = Visit & { videoSessionId: number };

/** A session for each visit, and some meetings of the staff without a patient. */
export async function seedSessions(seeding: Seeding, random: Faker, kept: Visit[], coming: Visit[]): Promise<void> {
  const { tx } = seeding;
  const visits = [...kept, ...coming];
  const sessions = inOrder(
    await tx.videoSession.createManyAndReturn({
      data: [...visits.map((visit) => visitSession(seeding, visit)), ...[1, 4, 9].map((days) => meeting(seeding, days))],
      select: { id: true },
    }),
  );
  const withSession = visits.map((visit, index) => ({ ...visit, videoSessionId: cycle(sessions, index).id }));
  await tx.sessionInvite.createMany({ data: withSession.flatMap((visit, index) => invite(seeding, visit, index)) });
  await seedPresences(seeding, random, withSession.slice(0, kept.length));
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
    hostLinkHash: closedLink(),
    guestLinkHash: closedLink(),
    createdAt: earliest(later(startsAt, -DAY), later(now, -60)),
    expiresAt: later(endsAt, 120),
    startedAt: startsAt < now ? startsAt : null,
    endedAt: endsAt < now ? endsAt : null,
  };
}

function meeting({ now, organizationId, staff, admin }: Seeding, daysAgo: number): Prisma.VideoSessionCreateManyInput {
  const createdAt = later(now, -daysAgo * DAY);
  return {
    organizationId,
    hostUserId: (staff[0] ?? admin).id,
    kind: 'meet',
    guid: randomUUID(),
    hostLinkHash: closedLink(),
    guestLinkHash: closedLink(),
    createdAt,
    expiresAt: later(createdAt, DAY),
    startedAt: later(createdAt, 2),
    endedAt: later(createdAt, 31),
  };
}

function invite(
  { now, organizationId }: Seeding,
  { videoSessionId, patient, startsAt, endsAt }: SessionVisit,
  index: number,
): Prisma.SessionInviteCreateManyInput[] {
  const channel = channelOf(patient);
  const sentTo = channel === 'sms' ? patient.mobilePhone : patient.email;
  if (!sentTo) return [];
  const createdAt = earliest(later(startsAt, -DAY), later(now, -50));
  const withdrawnAt = index % 12 === 11 ? later(createdAt, 5) : null;
  const link = { linkHash: closedLink(), createdAt, expiresAt: later(endsAt, 120), withdrawnAt };
  return [{ organizationId, videoSessionId, patientId: patient.id, channel, sentTo, ...link }];
}

async function seedPresences({ tx, organizationId }: Seeding, random: Faker, visits: SessionVisit[]): Promise<void> {
  const presences = visits.flatMap(
    ({ videoSessionId, hostUserId, patient, startsAt, endsAt }): Prisma.SessionParticipantCreateManyInput[] => {
      const waitingSince = later(startsAt, -random.number.int({ min: 1, max: 9 }));
      const both = { organizationId, videoSessionId, lastSeenAt: endsAt, leftAt: endsAt };
      const displayName = patient.firstName ?? patient.lastName;
      return [
        { ...both, role: 'host', userId: hostUserId, joinedAt: later(startsAt, -1) },
        { ...both, role: 'guest', patientId: patient.id, displayName, waitingSince, admittedAt: startsAt, joinedAt: startsAt },
      ];
    },
  );
  await tx.sessionParticipant.createMany({ data: presences });
  const held = visits.map(({ videoSessionId, patient, appointmentId, startsAt, endsAt }) => ({
    organizationId,
    videoSessionId,
    patientId: patient.id,
    appointmentId,
    startedAt: startsAt,
    endedAt: endsAt,
  }));
  await tx.telehealthVisit.createMany({ data: held });
}
