import type { Faker } from '@faker-js/faker';
import { later } from './dates.ts';
import type { People } from './people.ts';
import type { Booking } from './scheduling.ts';
import { areaRandom, type Seeding } from './seeding.ts';
import { type SessionVisit, seedSessions, type Visit } from './video-sessions.ts';

/** Past and coming video visits with who took part, meetings, waiting room visits, and where to review a provider. */
export async function seedTelehealth(seeding: Seeding, { patients }: People, bookings: Booking[]): Promise<void> {
  const { tx, plan, practice, organizationId, clinicians, admin } = seeding;
  const random = areaRandom(seeding, 'telehealth');
  const people = new Map(patients.map((patient) => [patient.id, patient]));
  const users = new Map(clinicians.map(({ id, userId }) => [id, userId]));
  const visits = bookings.flatMap(({ id, patientId, providerId, waitingRoomId, startsAt, endsAt, status }): Visit[] => {
    const patient = people.get(patientId ?? 0);
    const hostUserId = users.get(providerId ?? 0);
    if (!patient || !hostUserId || !waitingRoomId || !startsAt || !endsAt) return [];
    return [{ appointmentId: id, hostUserId, waitingRoomId, patient, startsAt, endsAt, status }];
  });
  const kept = visits.filter(({ status }) => status === 'completed').slice(-20);
  const coming = visits.filter(({ status }) => status === 'scheduled').slice(0, 4);
  const missed = visits.filter(({ status }) => status === 'no_show').slice(-4);
  const withSession = await seedSessions(seeding, random, kept, coming);
  await seedWaiting(seeding, random, withSession.slice(0, kept.length), missed);
  const reviewed = [...clinicians.flatMap(({ userId }) => userId ?? []).slice(0, -1), admin.id];
  await tx.userReviewUrl.createMany({
    data: reviewed.map((userId, index) => ({
      organizationId,
      userId,
      url: `https://reviews.example.com/${plan.key}/${index + 1}`,
      title: index === 0 ? null : `Review ${practice.name}`,
    })),
  });
}

/** Patients who kept the appointment were admitted; those marked as absent waited a while and left. */
async function seedWaiting({ tx, organizationId }: Seeding, random: Faker, kept: SessionVisit[], missed: Visit[]): Promise<void> {
  const toRow = ({ appointmentId, waitingRoomId, patient, startsAt }: Visit, videoSessionId: number | null) => {
    const enteredAt = later(startsAt, -random.number.int({ min: 1, max: 12 }));
    const leftAt = videoSessionId === null ? later(startsAt, 15) : startsAt;
    return {
      organizationId,
      waitingRoomId,
      patientId: patient.id,
      appointmentId,
      enteredAt,
      lastSeenAt: leftAt,
      videoSessionId,
      admittedAt: videoSessionId === null ? null : startsAt,
      leftAt,
    };
  };
  const admitted = kept.map((visit) => toRow(visit, visit.videoSessionId));
  await tx.waitingRoomVisit.createMany({ data: [...admitted, ...missed.map((visit) => toRow(visit, null))] });
}
