import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordReadWithPatients } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { displayNameOf } from './join-session.ts';

/** Somebody in the room. */
export interface PersonInRoom {
  id: number;
  role: string;
  name: string;
}

/** Somebody in front of it. */
export interface PersonWaiting {
  /** How a host names them: `participant:31`, or `visit:7` of a waiting room. */
  guest: string;
  name: string;
  since: Date;
  from: 'link' | 'waiting_room';
}

/** What there is to see in a session now. */
export interface RoomView {
  people: PersonInRoom[];
  recording: boolean;
  /** For hosts alone. */
  waiting: PersonWaiting[];
  ended: boolean;
}

const SHOWN = { id: true, role: true, displayName: true, patientId: true, admittedAt: true, waitingSince: true } as const;
type Shown = Prisma.SessionParticipantGetPayload<{ select: typeof SHOWN }>;

/**
 * Reads a room, for those of its people whom this process serves.
 * @param forHosts hosts are among them: who waits is read too, and audited as shown
 */
export async function viewRoom(db: Db, caller: Caller, sessionId: number, forHosts: boolean): Promise<RoomView | null> {
  const { organizationId } = caller;
  const [session, present] = await Promise.all([
    db.videoSession.findUnique({
      where: { organizationId_id: { organizationId, id: sessionId } },
      select: { hostUserId: true, recordingSince: true, endedAt: true },
    }),
    db.sessionParticipant.findMany({
      where: {
        ...{ organizationId, videoSessionId: sessionId, leftAt: null },
        OR: [{ joinedAt: { not: null } }, { admittedAt: null }],
      },
      select: SHOWN,
      orderBy: { id: 'asc' },
    }),
  ]);
  if (!session) return null;
  const lobby = forHosts ? await listWaitingRoomVisits(db, caller, session.hostUserId) : [];
  const before = forHosts ? present.filter(({ admittedAt }) => admittedAt === null) : [];
  const patientIds = [...present, ...lobby].flatMap(({ patientId }) => patientId ?? []);
  if (patientIds.length > 0) recordReadWithPatients(caller, 'video_session', { ids: [sessionId], patientIds }, 'read');
  return {
    people: present
      .filter(({ admittedAt }) => admittedAt !== null)
      .map(({ id, role, displayName }) => ({ id, role, name: displayName ?? '' })),
    recording: session.recordingSince !== null,
    waiting: [...before.map(fromLink), ...lobby.map(fromWaitingRoom)].sort((one, other) => one.since.getTime() - other.since.getTime()),
    ended: session.endedAt !== null,
  };
}

const OF_PATIENT = {
  id: true,
  patientId: true,
  enteredAt: true,
  patient: { select: { firstName: true, lastName: true } },
} as const satisfies Prisma.WaitingRoomVisitSelect;
type WaitingVisit = Prisma.WaitingRoomVisitGetPayload<{ select: typeof OF_PATIENT }>;

/** More do not fit on a screen; the longest wait first. */
const MAX_WAITING_SHOWN = 50;

/** Who waits in the host's waiting rooms, and in those that are nobody's. */
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

/** A waiting room is a place of many patients: who they are is said with both names. */
const fromWaitingRoom = ({ id, enteredAt, patient }: WaitingVisit): PersonWaiting => ({
  guest: `visit:${id}`,
  name: [patient.firstName, patient.lastName].filter(Boolean).join(' ') || displayNameOf(patient),
  since: enteredAt,
  from: 'waiting_room',
});
