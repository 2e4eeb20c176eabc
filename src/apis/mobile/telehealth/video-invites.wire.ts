import { z } from 'zod';
import type { SessionInviteInput, ShownInvite } from '../../../domain/telehealth/invites/invites.ts';
import type { VideoSession } from '../../../domain/telehealth/sessions/sessions.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { email, id, instant, longId, optional, phone } from '../../../http/wire/wire-types.ts';
import { channel, channels, DeliveryShape, fromDelivery, namedChannel } from '../messaging/check-ins/check-ins.wire.ts';
import { one } from '../shared.wire.ts';

/** The channel field of the source document. */
export const emailOrSms = () =>
  namedChannel(optional(channel()), 'emailOrSms', 'Defaults to the contact details that the patient has: sms first, then email');

/**
 * The source document names the organization's number and a service number. There is no number of the service here, since answers to it
 * would belong to no practice; so `service` is refused, rather than sent from another number than was asked for.
 */
export const orgOrServiceNumber = () =>
  optional(z.enum(['org'], { error: 'must be org: texts are sent from the practice’s own number' })).describe(
    'Text messages are sent from the practice’s own number. `service` is refused because there is no shared number',
  );

/** The source document writes it as a JSON number; a string is accepted too. */
const number = () => z.preprocess((sent) => (typeof sent === 'number' ? String(sent) : sent), phone());

export const SessionInviteRequest = z
  .object({
    email: optional(email()).describe('Replaces the patient’s own email address'),
    patient_id: optional(id()).describe('Patient of the visit; optional if an email or phone is given'),
    emailOrSms: emailOrSms(),
    phone: optional(number()).describe('Replaces the patient’s own phone number'),
    orgOrServiceNumber: orgOrServiceNumber(),
  })
  .meta({ id: 'VideoSessionInviteRequest' });

export const InviteShape = z
  .strictObject({
    uuid: z.int(),
    session_guid: z.uuid().nullable().describe('Null for an invite to a waiting room'),
    waiting_room_id: z.int().nullable().describe('Null for an invite to a session'),
    patient_id: z.int().nullable(),
    appointment_id: z.int().nullable(),
    channel: channels,
    sent_to: z.string().nullable().describe('Phone number or email address'),
    created_at: instant(),
    expires_at: instant().describe('Time at which the link to the session or waiting room expires'),
    withdrawn_at: instant().nullable(),
    delivery: DeliveryShape.nullable(),
  })
  .meta({ id: 'VideoSessionInvite' });

export const InviteResponse = one(InviteShape).meta({ id: 'VideoSessionInviteResponse' });

const HostLinkShape = z
  .strictObject({ guid: z.uuid(), host_link: z.string().describe('Returned in this response only'), expires_at: instant() })
  .meta({ id: 'HostLink' });

export const HostLinkResponse = one(HostLinkShape).meta({ id: 'HostLinkResponse' });

const guid = () => z.guid('must be the GUID of a video session').describe('Session GUID');
export const sessionGuidParams = z.object({ GUID: guid() });
export const inviteParams = z.object({ GUID: guid(), invite: longId().describe('Invite id') });

export const participantParams = z.object({ GUID: guid(), participant: longId().describe('Participant id') });

export const ParticipantUpdate = z
  .object({ patient_uuid: id().nullable().describe('Chart of this guest; null for none') })
  .meta({ id: 'VideoSessionParticipantUpdate' });

export function toSessionInvite(body: z.output<typeof SessionInviteRequest>): SessionInviteInput {
  return {
    patientId: body.patient_id ?? undefined,
    channel: body.emailOrSms ?? undefined,
    phone: body.phone ?? undefined,
    email: body.email ?? undefined,
  };
}

export function fromInvite(invite: ShownInvite): z.input<typeof InviteShape> {
  const channel = channels.parse(invite.channel);
  return {
    uuid: invite.id,
    session_guid: invite.session?.guid ?? null,
    waiting_room_id: invite.waitingRoomId,
    patient_id: invite.patientId,
    appointment_id: invite.appointmentId,
    channel,
    sent_to: channel === 'sms' ? writePhone(invite.sentTo) : invite.sentTo,
    created_at: writeInstant(invite.createdAt),
    expires_at: writeInstant(invite.expiresAt),
    withdrawn_at: writeInstant(invite.withdrawnAt),
    delivery: fromDelivery(invite),
  };
}

export const fromHostLink = (
  { session, hostToken }: { session: VideoSession; hostToken: string },
  origin: string,
): z.input<typeof HostLinkShape> => ({
  guid: session.guid,
  host_link: `${origin}/v/${hostToken}`,
  expires_at: writeInstant(session.expiresAt),
});
