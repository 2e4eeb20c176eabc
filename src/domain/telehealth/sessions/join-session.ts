import type { Db } from '../../../database/database.ts';
import type { SessionParticipant, VideoSession } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, Failure, invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { normalize } from '../../values/normalize.ts';
import { fullName, greetingName, type PersonName } from '../../values/person-names.ts';
import { standingFailure, toStanding } from './participant-standing.ts';
import { requireCapacity, requirePlace } from './room-capacity.ts';
import type { ParticipantMember } from './room-tokens.ts';
import { type LinkedSession, ofLink } from './session-links.ts';
import { lockSession } from './sessions.ts';

/** Guests who wait for one session at the same time. */
const MAX_WAITING = 20;
/** Browsers at which the person of one invite waits at the same time. */
const MAX_WAITING_AT_INVITE = 3;

export interface JoinInput {
  /** Needed from a guest without an invite to a patient; such a patient has the name of the chart. */
  name?: string | undefined;
  /** The configured provider of audio and video. */
  provider: 'mesh' | 'livekit';
  /** The participant of an earlier join, read from a signed token of the browser. */
  resumed?: ParticipantMember | null;
}

export interface JoinedSession {
  session: VideoSession;
  participant: SessionParticipant;
}

/**
 * Joins a session through a valid link: a host is admitted, a guest waits for admission. A browser that joined before
 * continues as the same participant, unless its admission or its place in the queue has ended: then its person waits anew.
 * @throws Failure invalid without a name, or for one that guests cannot have; conflict: session_ended, refused, room_locked,
 * room_full; too_many_requests where too many guests wait
 */
export async function joinSession(tx: Tx, linked: LinkedSession, { name, provider, resumed }: JoinInput): Promise<JoinedSession> {
  const { session: locked, now } = await lockSession(tx, linked.session.id);
  const session = await chooseProvider(tx.prisma, locked, provider);
  if (session.endedAt !== null) throw conflict('session_ended', 'This visit has ended.');
  const earlier = resumed ? await findResumedParticipant(tx.prisma, linked, resumed) : null;
  const standing = earlier && toStanding(session, earlier, now);
  if (standing === 'refused') throw standingFailure('refused');
  if (earlier && standing === 'admitted') await requirePlace(tx, session, earlier);
  if (earlier && (standing === 'waiting' || standing === 'admitted')) return { session, participant: earlier };
  const person = identifyParticipant(tx, linked, { name, earlier });
  if (linked.role === 'host') await requireCapacity(tx, session);
  else await requireWaitingCapacity(tx.prisma, session, linked.invite?.id ?? null);
  const { organizationId, id: videoSessionId } = session;
  const participant = await tx.prisma.sessionParticipant.create({
    data: {
      organizationId,
      videoSessionId,
      role: linked.role,
      inviteId: linked.invite?.id ?? null,
      lastSeenAt: now,
      ...person,
      ...(linked.role === 'host' ? { admittedAt: now } : { waitingSince: now }),
    },
  });
  recordChange(tx, 'create', { name: 'session_participant.arrived', id: participant.id }, toPatientIds(participant));
  return { session, participant };
}

/** The kind of a participant by their link; of several hosts, the message of the room says which one leads. */
export const toJoinedKind = ({ role, patientId }: Pick<SessionParticipant, 'role' | 'patientId'>): 'host' | 'patient' | 'guest' => {
  if (role === 'host') return 'host';
  return patientId === null ? 'guest' : 'patient';
};

/** Changes the provider of a session to the configured one, as long as nobody is in the session. */
async function chooseProvider(db: Db, session: VideoSession, way: JoinInput['provider']): Promise<VideoSession> {
  const { organizationId, id, provider, endedAt } = session;
  if (provider === way || endedAt !== null) return session;
  const present = await db.sessionParticipant.count({
    where: { organizationId, videoSessionId: id, joinedAt: { not: null }, leftAt: null },
  });
  if (present > 0) return session;
  return db.videoSession.update({ where: { organizationId_id: { organizationId, id } }, data: { provider: way } });
}

/** The participant of an earlier join, if it was through this link. */
async function findResumedParticipant(db: Db, linked: LinkedSession, resumed: ParticipantMember): Promise<SessionParticipant | null> {
  const { session, role } = linked;
  if (resumed.organizationId !== session.organizationId || resumed.sessionId !== session.id || resumed.role !== role) return null;
  return db.sessionParticipant.findFirst({
    where: { organizationId: session.organizationId, id: resumed.id, videoSessionId: session.id, ...ofLink(linked) },
  });
}

interface Identity {
  userId: number | null;
  patientId: number | null;
  displayName: string;
}

/** The user or patient behind a new participant, and the name that the others see. @throws Failure invalid for a guest without a name */
function identifyParticipant(
  caller: Caller,
  { user, invite }: LinkedSession,
  { name, earlier }: { name: string | undefined; earlier: SessionParticipant | null },
): Identity {
  if (user) return { userId: user.id, patientId: null, displayName: `${user.firstName} ${user.lastName}` };
  if (name !== undefined) requireGuestName(name);
  const patient = invite?.patient ?? null;
  if (!patient) {
    const displayName = name ?? earlier?.displayName;
    if (!displayName) throw invalid('name', 'is required', 'missing');
    return { userId: null, patientId: earlier?.patientId ?? null, displayName };
  }
  recordRead(caller, 'patient', [patient.id]);
  return { userId: null, patientId: patient.id, displayName: writeDisplayName(patient) };
}

interface NamedPerson extends PersonName {
  /** The chart is restricted or blocked. */
  restricted: boolean;
}

/** Shown instead of a name that is unknown or must not be shown. */
export const NAMELESS = 'Patient';

/** The name that a patient is addressed by; of a restricted patient none. */
export const writeDisplayName = (patient: NamedPerson): string => (!patient.restricted && greetingName(patient)) || NAMELESS;

/** The whole name of a patient, as hosts see it; of a restricted patient none. */
export const writeFullName = (patient: NamedPerson): string => (!patient.restricted && fullName(patient)) || NAMELESS;

/**
 * @param inviteId of a personal link, which has places of its own, so that one link cannot fill the queue of all
 * @throws Failure conflict room_locked; too_many_requests
 */
async function requireWaitingCapacity(db: Db, { organizationId, id, lockedAt }: VideoSession, inviteId: number | null): Promise<void> {
  if (lockedAt !== null) throw conflict('room_locked', 'This visit is locked. Call your practice if you should be in it.');
  const waiting = await db.sessionParticipant.groupBy({
    by: ['inviteId'],
    where: { organizationId, videoSessionId: id, admittedAt: null, leftAt: null },
    _count: true,
  });
  const all = waiting.reduce((sum, { _count }) => sum + _count, 0);
  const here = inviteId === null ? 0 : (waiting.find((group) => group.inviteId === inviteId)?._count ?? 0);
  if (all < MAX_WAITING && here < MAX_WAITING_AT_INVITE) return;
  const message =
    here < MAX_WAITING_AT_INVITE
      ? 'Too many people are waiting for this visit. Try again in a minute.'
      : 'You are already waiting for this visit in other windows. Continue there, or try again in a minute.';
  throw new Failure('too_many_requests', 'too_many_waiting', message, { retryAfter: 30 });
}

/** A word in brackets, of any script, that would make a guest look like one of the people of the practice. */
const LEADING_ROLE = /\p{Ps}\s*(?:co-?)?(?:host|organi[sz]er|moderator|presenter|provider|doctor|staff|practice|admin)\b/iu;

/** Greek and Cyrillic letters, and at the same places the Latin ones that they look like. */
const [LOOKALIKES, LATIN] = ['аαсԁеεһіιмοорρѕтτгν', 'aacdeehiimooppsttrv'];

const inLatin = (text: string): string =>
  [...normalize(text, 'NFKC').toLowerCase()].map((letter) => LATIN[LOOKALIKES.indexOf(letter)] ?? letter).join('');

/** @throws Failure invalid for a name such as `Maria (host)` */
function requireGuestName(name: string): void {
  if (LEADING_ROLE.test(inLatin(name))) throw invalid('name', 'must be a name, without a role in brackets such as (host)');
}
