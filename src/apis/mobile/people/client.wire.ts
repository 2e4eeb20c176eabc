import { z } from 'zod';
import type { Colleague } from '../../../domain/practices/colleagues.ts';
import type { Organization } from '../../../domain/practices/organizations.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { instant } from '../../../http/wire/wire-types.ts';
import { one } from '../shared.wire.ts';
import { fromOrganization, OrganizationShape } from './organizations/organizations.wire.ts';
import { userTypes } from './users.wire.ts';

export const ClientShape = z
  .strictObject({
    uuid: z.int(),
    org_uuid: z.int(),
    first_name: z.string(),
    last_name: z.string(),
    email: z.string().nullable(),
    phone_number: z.string().nullable(),
    user_type: userTypes,
    active: z.boolean(),
    verified: z.boolean(),
    language_id: z.string(),
    image: z.string().nullable().describe('Address of the user’s picture; null, since users have none'),
    chat_status: z.string(),
    last_seen_datetime: instant().nullable(),
    telehealth_availability: z.boolean(),
    receive_push_notices: z.boolean(),
    terms_accepted: z.boolean(),
    teleheath_5_minute_check_in: z.boolean(),
    teleheath_5_minute_check_in_type: z.string().nullable().describe('sms or email'),
    provider: z.int().nullable().describe('Provider id if the user sees patients'),
    organization: OrganizationShape,
  })
  .meta({ id: 'SignedInUser' });

export const ClientResponse = one(ClientShape).meta({ id: 'SignedInUserResponse' });

export function fromClient(user: Colleague, organization: Organization): z.input<typeof ClientShape> {
  return {
    uuid: user.id,
    org_uuid: user.organizationId,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    phone_number: writePhone(user.phone),
    user_type: user.type,
    active: user.active,
    verified: user.verified,
    language_id: user.languageId,
    image: null,
    chat_status: user.chatStatus,
    last_seen_datetime: writeInstant(user.lastSeenAt),
    telehealth_availability: user.telehealthAvailability,
    receive_push_notices: user.receivePushNotices,
    terms_accepted: user.termsAccepted,
    teleheath_5_minute_check_in: user.fiveMinuteCheckIn,
    teleheath_5_minute_check_in_type: user.fiveMinuteCheckInType,
    provider: user.providerId,
    organization: fromOrganization(organization),
  };
}
