import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { fullName } from '../../values/person-names.ts';
import { type AppointmentTime, appointmentTime, WITH_TIME } from './appointment-times.ts';
import { type CheckedDevices, checkedDevices } from './checked-devices.ts';
import { NAMELESS, writeFullName } from './join-session.ts';
import { writeWaitingKey } from './waiting-key.ts';

/** `host` leads the session; `colleague` is another person of the practice; `patient` has a chart, `guest` has none. */
export type PersonKind = 'host' | 'colleague' | 'patient' | 'guest';

export interface PersonInRoom {
  id: number;
  role: string;
  kind: PersonKind;
  /** As the people of the room are shown it. */
  name: string;
  /** As hosts are shown it: of a patient the full name of the chart. */
  nameForHosts: string;
  /** Null for people without a chart, and where the chart is restricted. */
  patientId: number | null;
  /** A host said whose chart this is, and can correct it. */
  isAttached: boolean;
  /** Whether the person agreed to be recorded; null without an answer. */
  recordingConsent: boolean | null;
}

export interface PersonWaiting {
  /** The id that a host admits by: `participant:31`, or `visit:7` for a patient in a waiting room. */
  guest: string;
  name: string;
  since: Date;
  from: 'link' | 'waiting_room';
  kind: 'patient' | 'guest';
  appointment: AppointmentTime | null;
  /** Name of the user whom they are to meet; null in a waiting room of nobody. */
  provider: string | null;
  /** The result of their device check; null where none was made. */
  devices: CheckedDevices | null;
}

export interface RoomView {
  people: PersonInRoom[];
  /** Number of the present visit; 0 before anybody was admitted. */
  visit: number;
  recording: boolean;
  /** A host has asked for a recording, and not everybody has answered. */
  recordingAsked: boolean;
  locked: boolean;
  /** Sent to hosts only. */
  waiting: PersonWaiting[];
  ended: boolean;
}

const OF_SESSION = {
  hostUserId: true,
  recordingSince: true,
  recordingAskedAt: true,
  endedAt: true,
  lockedAt: true,
  visit: true,
  host: { select: { firstName: true, lastName: true } },
  appointment: { select: WITH_TIME },
} as const satisfies Prisma.VideoSessionSelect;
type ShownSession = Prisma.VideoSessionGetPayload<{ select: typeof OF_SESSION }>;

const OF_PARTICIPANT = {
  id: true,
  role: true,
  visit: true,
  userId: true,
  displayName: true,
  recordingConsent: true,
  patientId: true,
  admittedAt: true,
  waitingSince: true,
  connection: true,
  camera: true,
  microphone: true,
  invite: { select: { patientId: true, appointment: { select: WITH_TIME } } },
} as const satisfies Prisma.SessionParticipantSelect;
type Participant = Prisma.SessionParticipantGetPayload<{ select: typeof OF_PARTICIPANT }>;
type Shown = Participant & { kind: 'patient' | 'guest'; nameForHosts: string };

/**
 * Reads the state of a session for its connections on this process.
 * @param forHosts one of the connections is a host's: waiting guests are read too, and audited
 * @returns null for an unknown session
 */
export async function viewRoom(tx: Tx, sessionId: number, forHosts: boolean): Promise<RoomView | null> {
  const [session, participants] = await Promise.all([
    tx.prisma.videoSession.findUnique({ where: tx.key(sessionId), select: OF_SESSION }),
    tx.prisma.sessionParticipant.findMany({
      where: {
        ...tx.practice,
        videoSessionId: sessionId,
        leftAt: null,
        OR: [{ joinedAt: { not: null } }, { admittedAt: null }],
      },
      select: OF_PARTICIPANT,
      orderBy: { id: 'asc' },
    }),
  ]);
  if (!session) return null;
  const present = await withNames(tx, participants);
  const visits = forHosts ? await listWaitingRoomVisits(tx, session.hostUserId) : [];
  // A guest who has lost the connection cannot be admitted, and is shown again when it is back.
  const guests = forHosts ? present.filter(({ admittedAt, connection }) => admittedAt === null && connection !== null) : [];
  const patientIds = [...present, ...visits.filter(({ patient }) => !patient.restricted)].flatMap(({ patientId }) => patientId ?? []);
  if (patientIds.length > 0) recordReadWithPatients(tx, 'video_session', { ids: [sessionId], patientIds }, 'read');
  const waiting = [...guests.map((guest) => fromLink(guest, session)), ...visits.map(fromWaitingRoom)];
  return {
    people: listPeopleInRoom(session, present),
    visit: session.visit,
    recording: session.recordingSince !== null,
    recordingAsked: session.recordingAskedAt !== null,
    locked: session.lockedAt !== null,
    waiting: waiting.sort((one, other) => one.since.getTime() - other.since.getTime()),
    ended: session.endedAt !== null,
  };
}

/** The people of the present visit. The first host of the session leads it; the others are colleagues. */
function listPeopleInRoom({ visit, hostUserId }: ShownSession, participants: Shown[]): PersonInRoom[] {
  const here = participants.filter((one) => one.admittedAt !== null && (one.role === 'host' || one.visit === visit));
  const hosts = here.filter(({ role }) => role === 'host');
  const leader = hosts.find(({ userId }) => userId === hostUserId) ?? hosts[0];
  return here.map((one) => ({
    id: one.id,
    role: one.role,
    kind: one.role !== 'host' ? one.kind : one.id === leader?.id ? 'host' : 'colleague',
    name: one.displayName ?? '',
    nameForHosts: one.nameForHosts,
    patientId: one.patientId,
    recordingConsent: one.recordingConsent,
    isAttached: one.patientId !== null && !one.invite?.patientId,
  }));
}

/** The participants with their names: neither names nor ids of patients whose charts are restricted or blocked. */
async function withNames(tx: Tx, participants: Participant[]): Promise<Shown[]> {
  const ids = participants.flatMap(({ patientId }) => patientId ?? []);
  const select = { id: true, firstName: true, lastName: true, restricted: true } as const;
  const patients = ids.length === 0 ? [] : await tx.prisma.patient.findMany({ where: { ...tx.practice, id: { in: ids } }, select });
  const charts = new Map<number | null, (typeof patients)[number]>(patients.map((patient) => [patient.id, patient]));
  return participants.map((person) => {
    const kind = person.patientId === null ? ('guest' as const) : ('patient' as const);
    const chart = charts.get(person.patientId);
    if (chart?.restricted) return { ...person, kind, patientId: null, displayName: NAMELESS, nameForHosts: NAMELESS };
    return { ...person, kind, nameForHosts: (chart && fullName(chart)) || (person.displayName ?? '') };
  });
}

const OF_PATIENT = {
  id: true,
  patientId: true,
  enteredAt: true,
  camera: true,
  microphone: true,
  patient: { select: { firstName: true, lastName: true, restricted: true } },
  appointment: { select: WITH_TIME },
  waitingRoom: { select: { host: { select: { firstName: true, lastName: true } } } },
} as const satisfies Prisma.WaitingRoomVisitSelect;
type WaitingVisit = Prisma.WaitingRoomVisitGetPayload<{ select: typeof OF_PATIENT }>;

/** Patients in waiting rooms that are shown; the longest wait comes first. */
const MAX_WAITING_SHOWN = 50;

/** Patients in the host's waiting rooms, and in those without a host. */
function listWaitingRoomVisits(tx: Tx, hostUserId: number): Promise<WaitingVisit[]> {
  return tx.prisma.waitingRoomVisit.findMany({
    where: { ...tx.practice, leftAt: null, waitingRoom: { OR: [{ userId: hostUserId }, { userId: null }] } },
    select: OF_PATIENT,
    orderBy: [{ enteredAt: 'asc' }, { id: 'asc' }],
    take: MAX_WAITING_SHOWN,
  });
}

const fromLink = (guest: Shown, session: ShownSession): PersonWaiting => ({
  guest: writeWaitingKey({ kind: 'participant', id: guest.id }),
  name: guest.nameForHosts,
  since: guest.waitingSince ?? new Date(0),
  from: 'link',
  kind: guest.kind,
  appointment: appointmentTime(guest.invite?.appointment ?? session.appointment),
  provider: fullName(session.host),
  devices: checkedDevices(guest),
});

/** Shows both names, because many patients may wait in one waiting room. */
const fromWaitingRoom = (visit: WaitingVisit): PersonWaiting => ({
  guest: writeWaitingKey({ kind: 'visit', id: visit.id }),
  name: writeFullName(visit.patient),
  since: visit.enteredAt,
  from: 'waiting_room',
  kind: 'patient',
  appointment: appointmentTime(visit.appointment),
  provider: visit.waitingRoom.host && fullName(visit.waitingRoom.host),
  devices: checkedDevices(visit),
});
