import { NONE } from '../../database/statements/no-id.ts';
import type { BookingFacts } from '../scheduling/appointment/booking-context.sql.ts';
import type { Tx } from '../tx.ts';
import { createRegister, readPlaces } from './directory.ts';
import type { ReferredChart } from './patient-references.ts';

const ordered = { orderBy: { id: 'asc' } } as const;

interface Named {
  chart: ReferredChart | null;
  office: { id: number; timeZone: string } | null;
  location: { id: number; officeId: number | null } | null;
  waitingRoom: { id: number; officeId: number | null } | null;
  type: { id: number; organizationId: number; durationMinutes: number | null; active: boolean } | null;
  provider: { id: number; active: boolean; userId: number | null } | null;
  userIds: readonly number[];
}

/** The settings and the records of a practice that appointments may refer to, for many appointments. */
export async function readCalendar(tx: Tx) {
  const { organizationId } = tx;
  const where = { organizationId };
  const [practice, places, waitingRooms, types, users] = await Promise.all([
    tx.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } }),
    readPlaces(tx),
    tx.prisma.waitingRoom.findMany({ where: { ...where, active: true }, select: { id: true, name: true, officeId: true }, ...ordered }),
    tx.prisma.appointmentType.findMany({ where: { OR: [where, { isGlobal: true }] }, ...ordered }),
    tx.prisma.user.findMany({ where: { ...where, type: { not: 'interface' } }, select: { id: true, type: true, active: true } }),
  ]);
  const locations = [...places.locations.byId.values()].filter(({ active }) => active);
  const ownTypes = types.filter((type) => type.organizationId === organizationId);
  const isOwn = new Set(ownTypes.map(({ id }) => id));
  return {
    ...places,
    practice,
    locations: createRegister('location', locations, ({ name }) => name),
    waitingRooms: createRegister('waiting room', waitingRooms, ({ name }) => name),
    types: createRegister('appointment type', [...ownTypes, ...types.filter(({ id }) => !isOwn.has(id))], ({ name }) => name),
    users: new Map(users.map((user) => [user.id, user])),
    refusesDoubleBooking: practice.doubleBooking === 'refuse',
  };
}

export type Calendar = Awaited<ReturnType<typeof readCalendar>>;

/** The facts that the rules of a booking must know of the records that a row names. */
export function toBookingFacts(
  { practice, providers, users, refusesDoubleBooking }: Calendar,
  { chart, office, location, waitingRoom, type, provider, userIds }: Named,
): BookingFacts {
  const ofUsers = userIds.length === 0 ? [] : [...providers.byId.values()];
  return {
    practiceZone: practice.timeZone,
    defaultMinutes: practice.defaultAppointmentLength,
    refusesDoubleBooking,
    patient: {
      patientStatus: chart === null || chart.status === 'deleted' ? null : chart.status,
      chartRestricted: chart?.restricted ?? null,
    },
    // A file brings what another system has booked.
    deceasedOn: null,
    office,
    location,
    waitingRoom,
    type: type && { ...type, owner: type.organizationId },
    provider,
    participants: [],
    users: [...userIds, provider?.userId].flatMap((id) => users.get(id ?? NONE) ?? []),
    providers: ofUsers.flatMap(({ id, userId, active }) => (userId !== null && userIds.includes(userId) ? [{ id, userId, active }] : [])),
  };
}
