import { z } from 'zod';
import type { UserWithSignIn } from '../../domain/users/users.ts';
import { writePhone } from '../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../domain/values/time/time.ts';

const bit = () => z.literal([0, 1]).meta({ type: 'integer' });

/** The user in whose name the caller acts, with the fields that public clients of this API know and that a user has. */
export const CallingUser = z
  .strictObject({
    uuid: z.int().describe('User id'),
    org_uuid: z.int().describe('Organization id'),
    first_name: z.string().describe('First name'),
    last_name: z.string().describe('Last name'),
    email: z.string().nullable().describe('Email address'),
    phone_number: z.string().nullable().describe('Ten digits if North American, otherwise E.164'),
    user_type: z.enum(['admin', 'provider', 'staff', 'interface']).describe('Role, or interface for an API client'),
    is_interface_user: bit().describe('1 for an API client, 0 for a person'),
    active: bit().describe('1 if the user is active, otherwise 0'),
    verified: bit().describe('1 if the user is verified, otherwise 0'),
    chat_status: z.string().describe('Status shown to colleagues'),
    last_seen_datetime: z.string().nullable().describe('ISO 8601, UTC'),
    telehealth_availability: bit().describe('1 if the user accepts video visits, otherwise 0'),
    receive_push_notices: bit().describe('1 if the user wants push notifications, otherwise 0'),
    terms_accepted: z.boolean().describe('Whether the user accepted the terms of use'),
    teleheath_5_minute_check_in: z.boolean().describe('Whether the user is reminded five minutes before a video visit'),
    teleheath_5_minute_check_in_type: z.string().nullable().describe('sms or email'),
  })
  .meta({ id: 'CallingUser' });

const toBit = (value: boolean) => (value ? 1 : 0);

export function fromActingUser({ signIn: [signIn], ...user }: UserWithSignIn): z.input<typeof CallingUser> {
  return {
    uuid: user.id,
    org_uuid: user.organizationId,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email ?? signIn?.email ?? null,
    phone_number: writePhone(user.phone),
    user_type: user.type,
    is_interface_user: toBit(user.type === 'interface'),
    active: toBit(user.active),
    verified: toBit(user.verified),
    chat_status: user.chatStatus,
    last_seen_datetime: writeInstant(user.lastSeenAt),
    telehealth_availability: toBit(user.telehealthAvailability),
    receive_push_notices: toBit(user.receivePushNotices),
    terms_accepted: user.termsAccepted,
    teleheath_5_minute_check_in: user.fiveMinuteCheckIn,
    teleheath_5_minute_check_in_type: user.fiveMinuteCheckInType,
  };
}
