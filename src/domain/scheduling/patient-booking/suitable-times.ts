import type { FreedTime, WaitlistEntry } from '../../../generated/prisma/client.ts';
import { Failure } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { INACTIVE_STATUSES } from '../../values/appointment-status.ts';
import { dayAt, momentAt } from '../../values/time/time.ts';
import type { FreeTime } from '../free-time/free-time.ts';
import { type FoundTimes, searchFreeTime } from '../free-time/slots.ts';
import { BY_RANK } from './waitlist.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A patient is asked about so many times within a day. */
const MOST_OFFERS_A_DAY = 5;

/** A patient who waits, and how often they were asked. */
export interface Candidate extends WaitlistEntry {
  /** They are asked about another time now. */
  isAsked: boolean;
  /** Starts at which they were offered the provider. */
  offered: ReadonlySet<number>;
}

/** The patients to whom a time may be offered, by rank. Whoever left it, or was asked often enough, is not among them. */
export async function listCandidates(tx: Tx, freed: FreedTime, now: Date, zone: string): Promise<Candidate[]> {
  const since = new Date(now.getTime() - DAY_MS);
  const [entries, offers] = await Promise.all([
    tx.prisma.waitlistEntry.findMany({
      where: {
        ...tx.practice,
        status: 'waiting',
        patientId: { not: freed.patientId ?? 0 },
        patient: { status: { not: 'deleted' }, deceasedDate: null },
        AND: [
          { OR: [{ waitsUntil: null }, { waitsUntil: { gte: dayAt(now, zone) } }] },
          { OR: [{ providerId: null }, { providerId: freed.providerId }] },
        ],
      },
      orderBy: BY_RANK,
    }),
    tx.prisma.slotOffer.findMany({
      where: {
        ...tx.practice,
        OR: [{ state: 'open' }, { createdAt: { gt: since } }, { providerId: freed.providerId, startsAt: { gt: now } }],
      },
      select: { patientId: true, state: true, createdAt: true, providerId: true, startsAt: true },
    }),
  ]);
  const byPatient = Map.groupBy(offers, ({ patientId }) => patientId);
  return entries.flatMap((entry) => {
    const own = byPatient.get(entry.patientId) ?? [];
    if (own.filter(({ createdAt }) => createdAt > since).length >= MOST_OFFERS_A_DAY) return [];
    const offered = own.filter(({ providerId }) => providerId === freed.providerId).map(({ startsAt }) => startsAt.getTime());
    return { ...entry, isAsked: own.some(({ state }) => state === 'open'), offered: new Set(offered) };
  });
}

/** The free times that a freed time made room for, by type: found once for each type until something is held. */
export function timesIn(tx: Tx, freed: FreedTime): (typeId: number) => Promise<FoundTimes> {
  const known = new Map<number, Promise<FoundTimes>>();
  return (typeId) => {
    const found = known.get(typeId) ?? searchIn(tx, freed, typeId);
    known.set(typeId, found);
    return found;
  };
}

/** With their own buffers, they reach into the freed time, which has those of its visit. */
async function searchIn(tx: Tx, { providerId, startsAt, endsAt }: FreedTime, typeId: number): Promise<FoundTimes> {
  const filter = {
    providerIds: [providerId],
    officeIds: null,
    typeId,
    from: new Date(startsAt.getTime() - DAY_MS),
    before: new Date(endsAt.getTime() + DAY_MS),
    fields: { min: 'from', max: 'until' },
  };
  try {
    const found = await searchFreeTime(tx, filter, 'patient');
    const [before, after] = [(found.type?.bufferBefore ?? 0) * MINUTE_MS, (found.type?.bufferAfter ?? 0) * MINUTE_MS];
    const reachesIn = ({ start, end }: FreeTime) => end + after > startsAt.getTime() && start - before < endsAt.getTime();
    return { ...found, times: found.times.filter(reachesIn) };
  } catch (error) {
    // The type is no longer booked.
    if (error instanceof Failure) return { times: [], zones: new Map(), typeId, type: null };
    throw error;
  }
}

/** The first of the times at which a patient wants to come, and was not asked about. */
export function suitableTime(entry: Candidate, { times, zones }: FoundTimes): FreeTime | null {
  return times.find((time) => !entry.offered.has(time.start) && isSuitable(entry, time, zones.get(time.officeId) ?? 'UTC')) ?? null;
}

function isSuitable(entry: WaitlistEntry, { start, officeId }: FreeTime, zone: string): boolean {
  const { local } = momentAt(new Date(start), zone);
  const [minute, day] = [local.getUTCHours() * 60 + local.getUTCMinutes(), dayAt(new Date(start), zone)];
  return (
    (entry.officeId === null || entry.officeId === officeId) &&
    (entry.weekdays.length === 0 || entry.weekdays.includes(local.getUTCDay() || 7)) &&
    minute >= entry.fromMinute &&
    minute < entry.untilMinute &&
    (entry.earliest === null || entry.earliest <= day) &&
    (entry.latest === null || entry.latest >= day)
  );
}

/** Whether a patient has a visit at a time, but for the one that moves there. */
export async function hasAppointmentThen(tx: Tx, { patientId, appointmentId }: WaitlistEntry, { start, end }: FreeTime): Promise<boolean> {
  const where = {
    ...tx.practice,
    patientId,
    status: { notIn: [...INACTIVE_STATUSES] },
    id: { not: appointmentId ?? 0 },
    startsAt: { lt: new Date(end) },
    endsAt: { gt: new Date(start) },
  };
  return (await tx.prisma.appointment.count({ where })) > 0;
}
