import type { Keyring } from '../../../database/encryption/keyring.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { conflict, forbidden } from '../../errors.ts';
import { findAppointment } from '../../scheduling/appointment/appointment-reader.ts';
import type { Tx } from '../../tx.ts';
import { fullName } from '../../values/person-names.ts';
import { type AppointmentTime, appointmentTime } from '../sessions/appointment-times.ts';
import { type CheckedDevices, checkedDevices } from '../sessions/checked-devices.ts';
import { openHostLink } from '../sessions/host-links.ts';
import { findOrOpenAppointmentSession, findSessionOfHost, openSession } from '../sessions/sessions.ts';
import type { WaitingKey } from '../sessions/waiting-key.ts';
import type { LateNotice } from './late-notices.ts';
import { LOBBY, type LobbyRow, type NamedGuest, type UnderWayRow, VISITS_UNDER_WAY } from './lobby.sql.ts';
import { lockVisit } from './waiting-room-visits.ts';

export interface LobbyGuest {
  waiting: WaitingKey;
  /** Null for a patient whose chart is restricted or blocked. */
  name: string | null;
  /** `guest` has no chart here. */
  kind: 'patient' | 'guest';
  since: Date;
  /** Null in a waiting room of nobody. */
  host: { userId: number; name: string } | null;
  /** Name of the waiting room; null for somebody at a link. */
  waitingRoom: string | null;
  appointment: AppointmentTime | null;
  /** The result of the device check; null where none was made. */
  devices: CheckedDevices | null;
  /** The last notice to them. */
  late: LateNotice | null;
  /** Whether a text can go to them. */
  hasPhone: boolean;
  /** Whether the caller gets a link to the visit: one of a restricted patient is its host's alone. */
  mayOpen: boolean;
}

export interface Lobby {
  /** Another one whenever the lobby looks different. It says nothing of who waits. */
  version: string;
  /** The longest wait first. Null where the caller has this version already. */
  guests: LobbyGuest[] | null;
  /** Visits with somebody in them, those whose guests are alone first. */
  underWay: VisitUnderWay[];
}

/** A visit of which somebody is in the room. */
export interface VisitUnderWay {
  /** A guest of it, by whom it is opened; null where a host is alone. */
  waiting: WaitingKey | null;
  guid: string;
  /** Of its guests; null for one whose chart is restricted or blocked. */
  names: (string | null)[];
  host: string;
  /** Since when no host is there; null while one is. */
  aloneSince: Date | null;
  mayOpen: boolean;
}

/** People who are shown. */
const MOST = 200;

/**
 * The people who wait in the practice, at links and in waiting rooms. A restricted patient is among them without a name, since somebody has to
 * let them in. Audited with the patients, unless the caller has seen just this already.
 * @param known the version that the caller has
 */
export async function readLobby(tx: Tx, keyring: Keyring, known: string | null): Promise<Lobby> {
  const [rows, visits] = await Promise.all([tx.rows(LOBBY, [MOST]), tx.rows(VISITS_UNDER_WAY, [MOST])]);
  const version = keyring.mac('lobby-version', JSON.stringify([rows, visits])).toString('base64url');
  if (version === known) return { version, guests: null, underWay: [] };
  const patientIds = [...rows, ...visits.flatMap(({ guests }) => guests ?? [])].flatMap(({ patient_id, restricted }) =>
    restricted ? [] : (patient_id ?? []),
  );
  if (patientIds.length > 0) recordReadWithPatients(tx, 'lobby', { ids: [], patientIds }, 'search');
  return { version, guests: rows.map((row) => toGuest(row, tx)), underWay: visits.map((row) => toVisit(row, tx)) };
}

function toGuest(row: LobbyRow, caller: Caller): LobbyGuest {
  const { late_minutes, late_at, starts_at, time_zone } = row;
  return {
    waiting: { kind: row.kind, id: row.id },
    name: writeGuestName(row),
    kind: row.patient_id === null ? 'guest' : 'patient',
    since: new Date(row.since),
    host: row.host_user_id === null ? null : { userId: row.host_user_id, name: row.host_name ?? '' },
    waitingRoom: row.waiting_room,
    appointment: starts_at === null || time_zone === null ? null : appointmentTime({ startsAt: new Date(starts_at), timeZone: time_zone }),
    devices: checkedDevices(row),
    late: late_minutes === null || late_at === null ? null : { minutes: late_minutes, at: new Date(late_at) },
    hasPhone: row.has_phone,
    mayOpen: !row.session_restricted || row.host_user_id === caller.userId || maySeeRestricted(caller),
  };
}

const toVisit = (
  { guid, guests, host_name, host_user_id, alone_since, session_restricted }: UnderWayRow,
  caller: Caller,
): VisitUnderWay => ({
  waiting: guests?.[0] ? { kind: 'participant', id: guests[0].id } : null,
  guid,
  names: (guests ?? []).map(writeGuestName),
  host: host_name,
  aloneSince: alone_since === null ? null : new Date(alone_since),
  mayOpen: !session_restricted || host_user_id === caller.userId || maySeeRestricted(caller),
});

function writeGuestName({ restricted, patient_id, first_name: firstName, last_name: lastName, display_name }: NamedGuest): string | null {
  if (restricted) return null;
  return (patient_id === null ? display_name : fullName({ firstName, lastName }) || display_name) ?? '';
}

/** Minutes for which a session stays open whose time had passed when staff went to it. */
const MORE_MINUTES = 120;

/** Somebody of the practice goes to a session with a guest in it: its time does not end before they meet. */
async function keepOpen(tx: Tx, id: number): Promise<void> {
  const now = Date.now();
  const where = { ...tx.practice, id, endedAt: null, expiresAt: { lt: new Date(now + MORE_MINUTES * 30_000) } };
  await tx.prisma.videoSession.updateMany({ where, data: { expiresAt: new Date(now + MORE_MINUTES * 60_000) } });
}

/**
 * Opens a visit from the lobby: the session that somebody waits for or is in, or for a patient in a waiting room the one of the appointment or
 * a new one. Nobody is let in by it.
 * @returns the secret part of a host link for the caller
 * @throws Failure not_found; conflict not_waiting; forbidden as openHostLink
 */
export async function openVisitFromLobby(tx: Tx, { kind, id }: WaitingKey): Promise<string> {
  const { userId } = tx;
  if (userId === null) throw forbidden('no_user', 'Only a user can lead a session.');
  if (kind === 'participant') {
    const where = { ...tx.practice, id, role: 'guest', leftAt: null, session: { ...tx.practice, endedAt: null } };
    const guest = await tx.prisma.sessionParticipant.findFirst({ where, select: { session: { select: { id: true, guid: true } } } });
    if (!guest) throw conflict('not_waiting', 'This person is no longer waiting.');
    await keepOpen(tx, guest.session.id);
    return (await openHostLink(tx, guest.session.guid)).hostToken;
  }
  const visit = await lockVisit(tx, id);
  if (visit.leftAt !== null) throw conflict('not_waiting', 'This person is no longer waiting.');
  const hostUserId = visit.waitingRoom.userId ?? userId;
  const meeting = { hostUserId, appointmentId: visit.appointmentId };
  const { guid } = (await findSessionOfHost(tx, meeting)) ?? (await openSession(tx, { kind: 'telehealth', ...meeting })).session;
  return (await openHostLink(tx, guid)).hostToken;
}

/**
 * The session of an appointment, or a new one, with the caller as its host where they take part, else the first user who does.
 * @throws Failure not_found, also for a cancelled appointment; forbidden for a caller who is no person; conflict for one without a date
 */
export async function openAppointmentVisit(tx: Tx, id: number): Promise<{ guid: string; patientId: number | null }> {
  if (tx.userId === null) throw forbidden('no_user', 'Only a user can lead a session.');
  const { users, endsAt, patientId } = await findAppointment(tx, id);
  if (endsAt === null) throw conflict('no_date', 'The appointment has no date.');
  const hosts = users.filter(({ active }) => active).map((user) => user.id);
  const hostUserId = hosts.includes(tx.userId) ? tx.userId : (hosts[0] ?? tx.userId);
  const end = new Date(Math.max(Date.parse(endsAt), Date.now()));
  const { guid } = await findOrOpenAppointmentSession(tx, { id, endsAt: end }, hostUserId);
  return { guid, patientId };
}
