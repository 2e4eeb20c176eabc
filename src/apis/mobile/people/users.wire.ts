import { z } from 'zod';
import type { Colleague, ColleagueSearch } from '../../../domain/practices/colleagues.ts';
import { LONGEST_EMAIL } from '../../../domain/values/email-addresses.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { sameAs } from '../../../http/input/query.ts';
import { id, instant, optional, paging, phone, text } from '../../../http/wire/wire-types.ts';
import { one, wrapList } from '../shared.wire.ts';

export const userTypes = z.enum(['admin', 'provider', 'staff']);

export const UserShape = z
  .strictObject({
    uuid: z.int(),
    org_uuid: z.int(),
    firstname: z.string(),
    lastname: z.string(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    user_type: userTypes,
    active: z.boolean(),
    verified: z.boolean(),
    language: z.string(),
    chat_status: z.string(),
    telehealth_availability: z.boolean(),
    provider: z.int().nullable().describe('Provider id if the user sees patients'),
    last_seen_at: instant().nullable(),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'User' });

export const UserResponse = one(UserShape).meta({ id: 'UserResponse' });
export const UserList = wrapList(UserShape).meta({ id: 'UserList' });

export const userParams = z.object({ uuid: id().describe('User id') });

export const userSearchQuery = z.object({
  search: text(200).optional().describe('Prefixes of words in the name or the email; all must match. Case and accents are ignored'),
  keyword: sameAs(text(200).optional(), 'search'),
  q: sameAs(text(200).optional(), 'search'),
  name: sameAs(text(200).optional(), 'search'),
  email: text(LONGEST_EMAIL).optional().describe('The whole email, ignoring case'),
  phone: optional(phone()).describe('The whole telephone number'),
  type: userTypes.optional().describe('Kind of user'),
  ...paging,
});

export function toColleagueSearch({
  search = '',
  keyword = '',
  q = '',
  name = '',
  email,
  phone,
  type,
}: z.output<typeof userSearchQuery>): ColleagueSearch {
  return { words: `${search} ${keyword} ${q} ${name}`.split(/\s+/).filter((word) => word !== ''), email, phone: phone ?? undefined, type };
}

export function fromUser(user: Colleague): z.input<typeof UserShape> {
  return {
    uuid: user.id,
    org_uuid: user.organizationId,
    firstname: user.firstName,
    lastname: user.lastName,
    email: user.email,
    phone: writePhone(user.phone),
    user_type: user.type,
    active: user.active,
    verified: user.verified,
    language: user.languageId,
    chat_status: user.chatStatus,
    telehealth_availability: user.telehealthAvailability,
    provider: user.providerId,
    last_seen_at: writeInstant(user.lastSeenAt),
    created_at: writeInstant(user.createdAt),
    updated_at: writeInstant(user.updatedAt),
  };
}
