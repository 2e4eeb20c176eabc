import { z } from 'zod';
import type { LockableAccount, UserAccountFilter, UserAccountInput } from '../../../domain/users/user-accounts.ts';
import type { UserInput } from '../../../domain/users/users.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { one, sortBy, wrapList } from '../../../http/wire/envelopes.ts';
import { bit, email, flag, id, instant, optional, paging, phone, renameFields, text } from '../../../http/wire/wire-types.ts';

export const USER_NAMES = {
  role: 'user_type',
  firstName: 'firstname',
  lastName: 'lastname',
  phone: 'phone',
  privacyOfficer: 'privacy_officer',
} as const;

const roles = z.enum(['admin', 'provider', 'staff']);

const OFFICER = 'Whether the user is notified of every emergency access to a restricted chart';

const AccountShape = z
  .strictObject({
    uuid: z.int().describe('User id'),
    firstname: z.string().describe('First name'),
    lastname: z.string().describe('Last name'),
    sign_in_email: z.string().nullable().describe('Email address for signing in; null if the user cannot sign in'),
    phone: z.string().nullable().describe('Telephone number'),
    user_type: roles.describe('Role'),
    active: z.boolean().describe('Whether the user can sign in'),
    verified: z.boolean().describe('Whether the user has accepted their invitation'),
    locked: z.boolean().describe('Whether the account is locked now, for 15 minutes after too many wrong passwords'),
    privacy_officer: z.boolean().describe(OFFICER),
    second_factors: z.array(z.string()).describe('Kinds of the user’s second factors: passkey, authenticator_app'),
    last_seen_at: instant().nullable().describe('When the user last signed in'),
    created_at: instant().describe('When the user was added'),
  })
  .meta({ id: 'UserAccount' });

export const AccountResponse = one(AccountShape).meta({ id: 'UserAccountResponse' });
export const AccountList = wrapList(AccountShape).meta({ id: 'UserAccountList' });

export const deactivationQuery = z.object({
  despite_visits: flag().nullish().describe('Deactivate the user despite upcoming visits, which stay with them'),
});

export const userParams = z.object({ uuid: id().describe('User id') });
export const usersQuery = z.object({
  search: text(200).optional().describe('Prefixes of words in the name or the email; all must match'),
  user_type: roles.optional().describe('Role'),
  active: bit().optional().describe('1: only users who can sign in; 0: only the others'),
  ...sortBy({ name: 'name', title: 'name', user_type: 'role', last_seen_at: 'lastSeen', created_at: 'created' }),
  ...paging,
});

export const toAccountFilter = ({ search = '', user_type: role, active }: z.output<typeof usersQuery>): UserAccountFilter => ({
  words: search.split(/\s+/).filter((word) => word !== ''),
  role,
  active,
});

const FIELDS = {
  user_type: roles.describe('Role'),
  firstname: text(100).min(1).describe('First name'),
  lastname: text(100).min(1).describe('Last name'),
  phone: optional(phone()).describe('Telephone number; null clears it'),
  privacy_officer: flag().describe(OFFICER),
};

export const AccountCreateRequest = z
  .object({
    user_type: FIELDS.user_type,
    firstname: FIELDS.firstname,
    lastname: FIELDS.lastname,
    sign_in_email: email().describe('Email address for the invitation and for signing in; unique on the server'),
    phone: phone().optional().describe('Telephone number'),
    privacy_officer: FIELDS.privacy_officer.optional().describe(OFFICER),
  })
  .meta({ id: 'UserAccountCreateRequest' });

export const toUserInput = (body: z.output<typeof AccountCreateRequest>): UserInput => ({
  type: body.user_type,
  firstName: body.firstname,
  lastName: body.lastname,
  email: body.sign_in_email,
  ...(body.phone === undefined ? {} : { phone: body.phone }),
  ...(body.privacy_officer === undefined ? {} : { privacyOfficer: body.privacy_officer }),
});

export const AccountUpdateRequest = z
  .object({
    user_type: FIELDS.user_type.optional().describe('Role; changing it ends the user’s sessions'),
    firstname: FIELDS.firstname.optional().describe('First name'),
    lastname: FIELDS.lastname.optional().describe('Last name'),
    phone: FIELDS.phone,
    privacy_officer: FIELDS.privacy_officer.optional().describe(OFFICER),
  })
  .meta({ id: 'UserAccountUpdateRequest' });

export const toAccountInput = (body: z.output<typeof AccountUpdateRequest>): UserAccountInput => renameFields(body, USER_NAMES);

export const fromAccount = (user: LockableAccount): z.input<typeof AccountShape> => ({
  uuid: user.id,
  firstname: user.firstName,
  lastname: user.lastName,
  sign_in_email: user.signInEmail,
  phone: writePhone(user.phone),
  user_type: user.role,
  active: user.active,
  verified: user.verified,
  locked: user.locked,
  privacy_officer: user.privacyOfficer,
  second_factors: user.factorKinds,
  last_seen_at: writeInstant(user.lastSeenAt),
  created_at: writeInstant(user.createdAt),
});
