import type { Keyring } from '../../../database/encryption/keyring.ts';
import { leaveRoomsOfUser } from '../../../domain/telehealth/presence/presence.ts';
import type { Tx } from '../../../domain/tx.ts';
import { takeFactorsAway } from '../../../domain/users/factor-mails.ts';
import { setAccountActive, signOutAccount } from '../../../domain/users/user-accounts.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { readOrigin } from '../../../http/wire/links.ts';
import type { ReadAccount } from './user-operations.ts';
import { AccountResponse, deactivationQuery, userParams } from './users.wire.ts';

/** A change of one user after a fresh proof, answered with the user. */
const SWITCH = { stepUp: true, params: userParams, response: AccountResponse, etag: true } as const;

/** Operations that let a user in, or out. */
export function userSwitchRoutes(endpoints: Endpoints, read: ReadAccount, keyring: Keyring): void {
  const { post, remove } = endpoints;
  const readCurrent = ({ tx, params }: { tx: Tx; params: { uuid: number } }) => read(tx, params.uuid);
  post('/users/:uuid/deactivate', {
    operationId: 'deactivateUserAccount',
    summary: 'Deactivate a user',
    description:
      'Their tokens are refused within a second. Not possible for the last active administrator (409 `last_admin`), yourself (409 `own_account`) and, without `despite_visits`, a user with upcoming visits (409 `visits_to_come`). The user’s provider also becomes inactive.',
    ...SWITCH,
    query: deactivationQuery,
    current: readCurrent,
    handle: async ({ tx, params, query }) => {
      await setAccountActive(tx, params.uuid, false, query.despite_visits ?? false);
      await leaveRoomsOfUser(tx, params.uuid);
      return read(tx, params.uuid);
    },
  });

  post('/users/:uuid/activate', {
    operationId: 'activateUserAccount',
    summary: 'Activate a user',
    ...SWITCH,
    current: readCurrent,
    handle: async ({ tx, params }) => {
      await setAccountActive(tx, params.uuid, true);
      return read(tx, params.uuid);
    },
  });

  remove('/users/:uuid/sessions', {
    operationId: 'deleteSessionsOfUserAccount',
    summary: 'End all sessions of a user',
    description: 'Their tokens are refused within a second.',
    stepUp: true,
    notForApps: true,
    params: userParams,
    handle: ({ tx, params }) => signOutAccount(tx, params.uuid),
  });
  factorRoutes(endpoints, read, keyring);
}

/** For those who have lost theirs. */
function factorRoutes({ post }: Endpoints, read: ReadAccount, keyring: Keyring): void {
  post('/users/:uuid/reset-second-factors', {
    operationId: 'resetSecondFactorsOfUserAccount',
    summary: 'Reset the second factors of a user who has lost them',
    description: 'Passkeys, the authenticator app and recovery codes are deleted, and the user’s sessions end. The user receives an email.',
    ...SWITCH,
    notForApps: true,
    current: ({ tx, params }) => read(tx, params.uuid),
    handle: async ({ tx, params, request }) => {
      await takeFactorsAway(tx, { keyring, origin: readOrigin(request) }, params.uuid);
      return read(tx, params.uuid);
    },
  });
}
