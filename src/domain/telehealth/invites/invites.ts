import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead, toPatientIds } from '../../audit/journal-entries.ts';
import { invalid, notFound } from '../../errors.ts';
import { createSecretLink } from '../../identity/secret-links.ts';
import { type Channel, defaultChannel, findRecipient, type LinkOptions, requireAddress } from '../../messaging/check-ins/check-ins.ts';
import { findShownAddresses } from '../../messaging/contacts/restricted-numbers.ts';
import { requireConsent } from '../../messaging/recipients/consent.ts';
import { withdrawMail } from '../../messaging/sending/outgoing-mails.ts';
import { withdrawText } from '../../messaging/sending/outgoing-texts.ts';
import type { Reach } from '../../patients/guardians/reach.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { OPEN_STATUSES } from '../../values/appointment-status.ts';
import { findSession, requireOpen } from '../sessions/sessions.ts';
import { findWaitingRoom } from '../waiting/waiting-rooms.ts';
import { queueInvite } from './invite-messages.ts';
import { noteLinkSent } from './sent-links.ts';

/** Validity of a link to a waiting room, in milliseconds. */
const WAITING_ROOM_LINK_MS = 24 * 3_600_000;

const SHOWN = {
  session: { select: { guid: true } },
  text: { select: { state: true, reason: true, notBefore: true, toGuardian: true } },
  mail: { select: { state: true, reason: true, notBefore: true, toGuardian: true } },
} as const satisfies Prisma.SessionInviteInclude;

/** An invite as the caller sees it: without the hash of its link, and without the address of a guardian whose chart they may not see. */
export type ShownInvite = Omit<Prisma.SessionInviteGetPayload<{ include: typeof SHOWN; omit: { linkHash: true } }>, 'sentTo'> & {
  sentTo: string | null;
};

export interface SessionInviteInput {
  patientId?: number | undefined;
  /** Unless given, chosen by the address that is given, or by the addresses of the patient. */
  channel?: Channel | undefined;
  /** E.164; instead of the patient's own. */
  phone?: string | undefined;
  /** Instead of the patient's own. */
  email?: string | undefined;
}

/**
 * Invites a person to a session, by a text or mail with a link of their own.
 * @throws Failure not_found; conflict for a session that is over, where the practice has no number to send from, or where the person
 *   must not be written to; invalid without a patient or an address; unprocessable where the patient has no number or address for the channel
 */
export async function inviteToSession(tx: Tx, guid: string, input: SessionInviteInput, linkOptions: LinkOptions): Promise<ShownInvite> {
  const session = await findSession(tx, guid);
  requireOpen(session);
  const patient = input.patientId === undefined ? null : await findRecipient(tx, input.patientId, 'patientId');
  const { id: videoSessionId, appointmentId, expiresAt } = session;
  const address = chooseAddress(input, patient);
  await requireConsent(tx, { patientId: patient?.id ?? null, ...address });
  if (patient && appointmentId !== null) await noteLinkSent(tx, { id: appointmentId, patientId: patient.id });
  return createInvite(tx, { ...address, videoSessionId, appointmentId, patient, expiresAt }, linkOptions);
}

/** Invites a patient to a waiting room. The link takes the patient there for a day. @throws Failure as inviteToSession */
export async function inviteToWaitingRoom(
  tx: Tx,
  { waitingRoomId, patientId, channel }: { waitingRoomId: number; patientId: number; channel?: Channel | undefined },
  linkOptions: LinkOptions,
): Promise<ShownInvite> {
  await findWaitingRoom(tx, waitingRoomId);
  const patient = await findRecipient(tx, patientId);
  const appointmentId = await findUpcomingAppointment(tx, { waitingRoomId, patientId });
  const expiresAt = new Date(Date.now() + WAITING_ROOM_LINK_MS);
  const address = chooseAddress({ channel }, patient);
  await requireConsent(tx, { patientId, ...address });
  return createInvite(tx, { ...address, waitingRoomId, appointmentId, patient, expiresAt }, linkOptions);
}

/** The patient's appointment in this waiting room that the link is for: the one that is going on, or the next one within a day. */
async function findUpcomingAppointment(
  tx: PracticeTx,
  { waitingRoomId, patientId }: { waitingRoomId: number; patientId: number },
): Promise<number | null> {
  const now = new Date();
  const found = await tx.prisma.appointment.findFirst({
    where: {
      ...tx.practice,
      waitingRoomId,
      patientId,
      status: { in: [...OPEN_STATUSES] },
      startsAt: { lt: new Date(now.getTime() + WAITING_ROOM_LINK_MS) },
      endsAt: { gt: now },
    },
    orderBy: [{ startsAt: 'asc' }, { id: 'asc' }],
    select: { id: true },
  });
  return found?.id ?? null;
}

interface NewInvite {
  channel: Channel;
  to: string;
  patient: Reach | null;
  videoSessionId?: number;
  waitingRoomId?: number;
  appointmentId: number | null;
  expiresAt: Date;
}

/** Stores an invite and queues its message. @throws Failure conflict where the practice has no number to send texts from */
export async function createInvite(tx: Tx, { patient, to, ...input }: NewInvite, linkOptions: LinkOptions): Promise<ShownInvite> {
  const { organizationId } = tx;
  const { token, hash } = createSecretLink(organizationId);
  const url = `${linkOptions.origin}/${input.waitingRoomId === undefined ? 'v' : 'w'}/${token}`;
  if (patient) recordRead(tx, 'patient', [patient.id]);
  const { channel, appointmentId } = input;
  const sent = await queueInvite(tx, { channel, appointmentId, to, patient, url, keyring: linkOptions.keyring });
  const created = await tx.prisma.sessionInvite.create({
    data: { organizationId, patientId: patient?.id ?? null, sentTo: to, linkHash: hash, ...input, ...sent },
    include: SHOWN,
    omit: { linkHash: true },
  });
  recordChange(tx, 'create', { name: 'session_invite.created', id: created.id }, toPatientIds(created));
  const [sentTo = null] = await findShownAddresses(tx, [{ to, toGuardian: (created.text ?? created.mail)?.toGuardian }]);
  return { ...created, sentTo };
}

/**
 * Withdraws an invite to a session: its link stops working, and its message is not sent if it still waits. A person who is already in
 * the room stays.
 * @throws Failure not_found
 */
export async function withdrawInvite(tx: Tx, guid: string, id: number): Promise<void> {
  const { id: videoSessionId } = await findSession(tx, guid);
  await withdraw(tx, { id, videoSessionId });
}

/**
 * Withdraws a patient's invite to a waiting room, or to the session of an appointment in it, as withdrawInvite does. A patient who
 * already waits stays.
 * @throws Failure not_found
 */
export async function withdrawWaitingRoomInvite(
  tx: Tx,
  { waitingRoomId, patientId, id }: { waitingRoomId: number; patientId: number; id: number },
): Promise<void> {
  await findRecipient(tx, patientId);
  await withdraw(tx, { id, patientId, OR: [{ waitingRoomId }, { appointment: { waitingRoomId } }] });
}

async function withdraw(tx: Tx, sought: Prisma.SessionInviteWhereInput & { id: number }): Promise<void> {
  const { id } = sought;
  const invite = await tx.prisma.sessionInvite.findFirst({
    where: { ...tx.practice, ...sought },
    select: { withdrawnAt: true, smsMessageId: true, mailMessageId: true, patientId: true },
  });
  if (!invite) throw notFound('invite');
  if (invite.withdrawnAt !== null) return;
  await tx.prisma.sessionInvite.update({
    where: tx.key(id),
    data: { withdrawnAt: new Date() },
    select: { id: true },
  });
  if (invite.smsMessageId !== null) await withdrawText(tx, invite.smsMessageId);
  if (invite.mailMessageId !== null) await withdrawMail(tx, invite.mailMessageId);
  recordChange(tx, 'update', { name: 'session_invite.withdrawn', id, changed: ['withdrawnAt'] }, toPatientIds(invite));
}

/**
 * The channel and the address of an invite.
 * @throws Failure invalid without a patient or an address; unprocessable where the patient has no address for the channel
 */
function chooseAddress(
  { channel, phone, email }: Omit<SessionInviteInput, 'patientId'>,
  patient: Reach | null,
): { channel: Channel; to: string } {
  const chosen = channel ?? chooseChannel({ phone, email }, patient);
  const to = chosen === 'sms' ? (phone ?? patient?.mobilePhone) : (email ?? patient?.email);
  if (to) return { channel: chosen, to };
  if (patient) return { channel: chosen, to: requireAddress(patient, { channel: chosen }) };
  if (!patient && phone === undefined && email === undefined)
    throw invalid('patientId', 'is required unless an email or phone is sent', 'missing');
  throw invalid(chosen === 'sms' ? 'phone' : 'email', 'is required', 'missing');
}

function chooseChannel({ phone, email }: Pick<SessionInviteInput, 'phone' | 'email'>, patient: Reach | null): Channel {
  if (email !== undefined && phone === undefined) return 'email';
  if (phone !== undefined || patient === null) return 'sms';
  return defaultChannel(patient);
}

/** The phone number or mail address by which a patient is reached; null without one. */
export function contactAddress(patient: Reach, channel: Channel): string | null {
  return channel === 'sms' ? patient.mobilePhone : patient.email;
}
