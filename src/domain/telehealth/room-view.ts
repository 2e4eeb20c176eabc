import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordReadWithPatients } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { fullName } from '../values/person-names.ts';
import { displayNameOf, NAMELESS } from './join-session.ts';

/** A participant in the room. */
export interface PersonInRoom {
  id: number;
  role: string;
  name: string;
}

/** A guest who waits for admission. */
export interface PersonWaiting {
  /** The id that a host admits by: `participant:31`, or `visit:7` for a patient in a waiting room. */
  guest: string;
  name: string;
  since: Date;
  from: 'link' | 'waiting_room';
}

/** The current state of a session. */
export interface RoomView {
  people: PersonInRoom[];
  recording: boolean;
  /** Sent to hosts only. */
  waiting: PersonWaiting[];
  ended: boolean;
}

const SHOWN = { id: true, role: true, displayName: true, patientId: true, admittedAt: true, waitingSince: true } as const;
type Shown = Prisma.SessionParticipantGetPayload<{ select: typeof SHOWN }>;

/**
 * Reads the state of a session for its connections on this process.
 * @param forHosts one of the connections is a host's: waiting guests are read too, and audited
 * @returns null for an unknown session
 */
export async function viewRoom(db: Db, caller: Caller, sessionId: number, forHosts: boolean): Promise<RoomView | null> {
  const { organizationId } = caller;
  const [session, participants] = await Promise.all([
    db.videoSession.findUnique({
      where: { organizationId_id: { organizationId, id: sessionId } },
      select: { hostUserId: true, recordingSince: true, endedAt: true },
    }),
    db.sessionParticipant.findMany({
      where: {
        organizationId,
        videoSessionId: sessionId,
        leftAt: null,
        OR: [{ joinedAt: { not: null } }, { admittedAt: null }],
      },
      select: SHOWN,
      orderBy: { id: 'asc' },
    }),
  ]);
  if (!session) return null;
  const present = await withoutRestricted(db, caller, participants);
  const visits = forHosts ? await listWaitingRoomVisits(db, caller, session.hostUserId) : [];
  const guests = forHosts ? present.filter(({ admittedAt }) => admittedAt === null) : [];
  const patientIds = [...present, ...visits.filter(({ patient }) => !patient.restricted)].flatMap(({ patientId }) => patientId ?? []);
  if (patientIds.length > 0) recordReadWithPatients(caller, 'video_session', { ids: [sessionId], patientIds }, 'read');
  return {
    people: present
      .filter(({ admittedAt }) => admittedAt !== null)
      .map(({ id, role, displayName }) => ({ id, role, name: displayName ?? '' })),
    recording: session.recordingSince !== null,
    waiting: [...guests.map(fromLink), ...visits.map(fromWaitingRoom)].sort((one, other) => one.since.getTime() - other.since.getTime()),
    ended: session.endedAt !== null,
  };
}

/** The participants, with neither the names nor the ids of patients whose charts are restricted or blocked. */
async function withoutRestricted(db: Db, { organizationId }: Caller, people: Shown[]): Promise<Shown[]> {
  const ids = people.flatMap(({ patientId }) => patientId ?? []);
  if (ids.length === 0) return people;
  const restricted = await db.patient.findMany({ where: { organizationId, id: { in: ids }, restricted: true }, select: { id: true } });
  const hidden = new Set<number | null>(restricted.map(({ id }) => id));
  return people.map((person) => (hidden.has(person.patientId) ? { ...person, patientId: null, displayName: NAMELESS } : person));
}

const OF_PATIENT = {
  id: true,
  patientId: true,
  enteredAt: true,
  patient: { select: { firstName: true, lastName: true, restricted: true } },
} as const satisfies Prisma.WaitingRoomVisitSelect;
type WaitingVisit = Prisma.WaitingRoomVisitGetPayload<{ select: typeof OF_PATIENT }>;

/** Patients in waiting rooms that are shown; the longest wait comes first. */
const MAX_WAITING_SHOWN = 50;

/** Patients in the host's waiting rooms, and in those without a host. */
function listWaitingRoomVisits(db: Db, { organizationId }: Caller, hostUserId: number): Promise<WaitingVisit[]> {
  return db.waitingRoomVisit.findMany({
    where: { organizationId, leftAt: null, waitingRoom: { OR: [{ userId: hostUserId }, { userId: null }] } },
    select: OF_PATIENT,
    orderBy: [{ enteredAt: 'asc' }, { id: 'asc' }],
    take: MAX_WAITING_SHOWN,
  });
}

const fromLink = ({ id, displayName, waitingSince }: Shown): PersonWaiting => ({
  guest: `participant:${id}`,
  name: displayName ?? '',
  since: waitingSince ?? new Date(0),
  from: 'link',
});

/** Shows both names, because many patients may wait in one waiting room. */
const fromWaitingRoom = ({ id, enteredAt, patient }: WaitingVisit): PersonWaiting => ({
  guest: `visit:${id}`,
  name: (!patient.restricted && fullName(patient)) || displayNameOf(patient),
  since: enteredAt,
  from: 'waiting_room',
});
