import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { invalid, notFound } from '../errors.ts';
import {
  type Channel,
  defaultChannel,
  findRecipients,
  type LinkOptions,
  type Recipient,
  requireReachable,
} from '../messaging/check-ins/check-ins.ts';
import { withdrawMail } from '../messaging/outgoing-mails.ts';
import { withdrawText } from '../messaging/texts/outgoing-texts.ts';
import { createSecretLink } from '../security/secret-links.ts';
import { queueInvite } from './invite-messages.ts';
import { findSession, requireOpen } from './sessions.ts';
import { findWaitingRoom } from './waiting-rooms.ts';

/** How long a link waits for its patient to come to a waiting room. */
const WAITING_ROOM_LINK_MS = 24 * 3_600_000;

const SHOWN = {
  session: { select: { guid: true } },
  text: { select: { state: true, reason: true, notBefore: true } },
  mail: { select: { state: true, reason: true } },
} as const satisfies Prisma.SessionInviteInclude;

/** An invite as the practice sees it: never with what its link is found by. */
export type ShownInvite = Prisma.SessionInviteGetPayload<{ include: typeof SHOWN; omit: { linkHash: true } }>;

export interface SessionInviteInput {
  patientId?: number | undefined;
  /** By what the patient has, or the address that is given, unless said. */
  channel?: Channel | undefined;
  /** E.164; instead of the patient's own. */
  phone?: string | undefined;
  /** Instead of the patient's own. */
  email?: string | undefined;
}

/**
 * Invites somebody to a session, by a text or mail with a link of their own.
 * @throws Failure not_found; conflict for a session that is over, or where the practice has no number; invalid without anybody
 *   to invite; unprocessable where the patient has no number or address
 */
export async function inviteToSession(
  db: Db,
  caller: Caller,
  guid: string,
  input: SessionInviteInput,
  making: LinkOptions,
): Promise<ShownInvite> {
  const session = await findSession(db, caller, guid);
  requireOpen(session);
  const patient = input.patientId === undefined ? null : await findPatientToInvite(db, caller, input.patientId, 'patientId');
  const { id: videoSessionId, appointmentId, expiresAt } = session;
  return createInvite(db, caller, { ...chooseAddress(input, patient), videoSessionId, appointmentId, patient, expiresAt }, making);
}

/**
 * Invites a patient to a waiting room. The link takes the patient there for a day.
 * @throws Failure as inviteToSession
 */
export async function inviteToWaitingRoom(
  db: Db,
  caller: Caller,
  { waitingRoomId, patientId, channel }: { waitingRoomId: number; patientId: number; channel?: Channel | undefined },
  making: LinkOptions,
): Promise<ShownInvite> {
  const { organizationId } = caller;
  await findWaitingRoom(db, caller, waitingRoomId);
  const patient = await findPatientToInvite(db, caller, patientId);
  const appointmentId = await findUpcomingAppointment(db, organizationId, { waitingRoomId, patientId });
  const expiresAt = new Date(Date.now() + WAITING_ROOM_LINK_MS);
  return createInvite(db, caller, { ...chooseAddress({ channel }, patient), waitingRoomId, appointmentId, patient, expiresAt }, making);
}

/** The patient's appointment in this waiting room on which the link is likely about: the next one within a day, or one that runs. */
async function findUpcomingAppointment(
  db: Db,
  organizationId: number,
  { waitingRoomId, patientId }: { waitingRoomId: number; patientId: number },
): Promise<number | null> {
  const now = new Date();
  const found = await db.appointment.findFirst({
    where: {
      ...{ organizationId, waitingRoomId, patientId, status: { in: ['scheduled', 'arrived'] } },
      ...{ startsAt: { lt: new Date(now.getTime() + WAITING_ROOM_LINK_MS) }, endsAt: { gt: now } },
    },
    orderBy: [{ startsAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return found?.id ?? null;
}

interface NewInvite {
  channel: Channel;
  to: string;
  patient: Recipient | null;
  videoSessionId?: number;
  waitingRoomId?: number;
  appointmentId: number | null;
  expiresAt: Date;
}

/** Stores an invite with its message. @throws Failure conflict where the practice has no number */
export async function createInvite(
  db: Db,
  caller: Caller,
  { patient, to, ...input }: NewInvite,
  making: LinkOptions,
): Promise<ShownInvite> {
  const { organizationId } = caller;
  const { token, hash } = createSecretLink(organizationId);
  const url = `${making.origin}/${input.waitingRoomId === undefined ? 'v' : 'w'}/${token}`;
  if (patient) recordRead(caller, 'patient', [patient.id]);
  const { channel, appointmentId } = input;
  const sent = await queueInvite(db, caller, { channel, appointmentId, to, patient, url, keyring: making.keyring });
  const created = await db.sessionInvite.create({
    data: { organizationId, patientId: patient?.id ?? null, sentTo: to, linkHash: hash, ...input, ...sent },
    include: SHOWN,
    omit: { linkHash: true },
  });
  recordChange(caller, 'create', { name: 'session_invite.created', subject: 'session_invite', id: created.id });
  return created;
}

/**
 * Takes a link back: it opens nothing from now on, and a message that has not left with it never does. Who is in the room
 * already stays.
 * @throws Failure not_found
 */
export async function withdrawInvite(db: Db, caller: Caller, guid: string, id: number): Promise<void> {
  const { organizationId } = caller;
  const { id: videoSessionId } = await findSession(db, caller, guid);
  const standing = await db.sessionInvite.findFirst({
    where: { organizationId, id, videoSessionId },
    select: { withdrawnAt: true, smsMessageId: true, mailMessageId: true },
  });
  if (!standing) throw notFound('invite');
  if (standing.withdrawnAt !== null) return;
  await db.sessionInvite.update({
    where: { organizationId_id: { organizationId, id } },
    data: { withdrawnAt: new Date() },
    select: { id: true },
  });
  if (standing.smsMessageId !== null) await withdrawText(db, caller, standing.smsMessageId);
  if (standing.mailMessageId !== null) await withdrawMail(db, caller, standing.mailMessageId);
  recordChange(caller, 'update', { name: 'session_invite.withdrawn', subject: 'session_invite', id, changed: ['withdrawnAt'] });
}

/** @throws Failure not_found, also for a patient whose chart is deleted, restricted or blocked */
async function findPatientToInvite(db: Db, caller: Caller, id: number, field?: string): Promise<Recipient> {
  const [patient] = await findRecipients(db, caller, [id]);
  if (!patient) throw notFound('patient', field);
  return patient;
}

/** Where an invite goes. @throws Failure invalid where nobody is named; unprocessable where the patient cannot be reached so */
function chooseAddress(
  { channel, phone, email }: Omit<SessionInviteInput, 'patientId'>,
  patient: Recipient | null,
): { channel: Channel; to: string } {
  const chosen = channel ?? chooseChannel({ phone, email }, patient);
  const to = chosen === 'sms' ? (phone ?? patient?.mobilePhone) : (email ?? patient?.email);
  if (to) return { channel: chosen, to };
  if (patient) requireReachable(patient, { channel: chosen });
  if (!patient && phone === undefined && email === undefined)
    throw invalid('patientId', 'must be given, or an email or phone to invite', 'missing');
  throw invalid(chosen === 'sms' ? 'phone' : 'email', 'is required', 'missing');
}

function chooseChannel({ phone, email }: Pick<SessionInviteInput, 'phone' | 'email'>, patient: Recipient | null): Channel {
  if (email !== undefined && phone === undefined) return 'email';
  if (phone !== undefined || patient === null) return 'sms';
  return defaultChannel(patient);
}

/** Where a patient can be reached so; null where they cannot. */
export function contactAddress(patient: Recipient, channel: Channel): string | null {
  return channel === 'sms' ? patient.mobilePhone : patient.email;
}
