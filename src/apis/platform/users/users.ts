import type { FastifyRequest } from 'fastify';
import type { Config } from '../../../config/config.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { unlockUser } from '../../../domain/identity/limits/account-locks.ts';
import { inviteAgain, inviteUser } from '../../../domain/users/invitations.ts';
import { findLockableAccount, listUserAccounts, updateUserAccount, withLocks } from '../../../domain/users/user-accounts.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import type { ReadAccount } from './user-operations.ts';
import { userSwitchRoutes } from './user-switches.ts';
import {
  AccountCreateRequest,
  AccountList,
  AccountResponse,
  AccountUpdateRequest,
  fromAccount,
  toAccountFilter,
  toAccountInput,
  toUserInput,
  userParams,
  usersQuery,
} from './users.wire.ts';

export interface UserAccountDeps {
  keyring: Keyring;
  config: Pick<Config, 'SIGN_IN_FAILURES_ACCOUNT'>;
}

export function userAccountRoutes(all: Endpoints, { keyring, config }: UserAccountDeps): void {
  const endpoints = all.group({ tag: 'Users', beyondDocument: true });
  const locks = { keyring, failures: config.SIGN_IN_FAILURES_ACCOUNT };
  const read: ReadAccount = async (tx, id) => ({ data: fromAccount(await findLockableAccount(tx, locks, id)) });
  endpoints.get('/users', {
    operationId: 'listUserAccounts',
    summary: 'List the users of the practice',
    description: 'Includes users who cannot sign in, but not the interface users of API clients.',
    query: usersQuery,
    response: AccountList,
    handle: async ({ tx, query, request }) => {
      const page = await listUserAccounts(tx, toAccountFilter(query), query, query);
      return writePage(request, { ...page, items: await withLocks(tx.prisma, locks, page.items) }, fromAccount);
    },
  });
  recordRoutes(endpoints, read);
  invitationRoutes(endpoints, read, keyring);
  userSwitchRoutes(endpoints, read, keyring);
}

function recordRoutes({ get, put }: Endpoints, read: ReadAccount): void {
  const current = get('/users/:uuid', {
    operationId: 'getUserAccount',
    summary: 'Read a user',
    params: userParams,
    response: AccountResponse,
    etag: true,
    handle: ({ tx, params }) => read(tx, params.uuid),
  });

  put('/users/:uuid', {
    operationId: 'updateUserAccount',
    summary: 'Update a user',
    description:
      'Omitted fields keep their values. Changing the role ends the user’s sessions. You cannot change your own role (403 `own_role`) or that of the last active administrator (409 `last_admin`).',
    params: userParams,
    body: AccountUpdateRequest,
    stepUp: true,
    response: AccountResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => {
      await updateUserAccount(tx, params.uuid, toAccountInput(body));
      return read(tx, params.uuid);
    },
  });
}

function invitationRoutes({ post }: Endpoints, read: ReadAccount, keyring: Keyring): void {
  const mails = (request: FastifyRequest) => ({ keyring, origin: readOrigin(request) });
  post('/users', {
    operationId: 'createUserAccount',
    summary: 'Add a user and invite them by mail',
    description:
      'The link in the mail lets them choose a password within seven days. 409 `email_taken` if somebody in any practice already signs in with the address.',
    body: AccountCreateRequest,
    stepUp: true,
    response: AccountResponse,
    status: 201,
    handle: async ({ tx, body, request }) => {
      const { id } = await inviteUser(tx, mails(request), toUserInput(body));
      return read(tx, id);
    },
  });

  post('/users/:uuid/invite', {
    operationId: 'inviteUserAccount',
    summary: 'Invite a user again',
    description: 'Former links stop working. 409 `already_accepted` if the user has accepted; 409 `inactive_user` for an inactive user.',
    stepUp: true,
    params: userParams,
    response: AccountResponse,
    etag: true,
    current: ({ tx, params }) => read(tx, params.uuid),
    handle: async ({ tx, params, request }) => {
      await inviteAgain(tx, mails(request), params.uuid);
      return read(tx, params.uuid);
    },
  });

  post('/users/:uuid/unlock', {
    operationId: 'unlockUserAccount',
    summary: 'Unlock a user after too many wrong passwords',
    description: 'The user can sign in again immediately.',
    stepUp: true,
    params: userParams,
    response: AccountResponse,
    etag: true,
    current: ({ tx, params }) => read(tx, params.uuid),
    handle: async ({ tx, params }) => {
      await unlockUser(tx, keyring, params.uuid);
      return read(tx, params.uuid);
    },
  });
}
