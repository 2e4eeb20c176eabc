import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { CallerIdentity } from '../../../domain/caller.ts';
import { leaveRoomsOfUser } from '../../../domain/telehealth/presence/presence.ts';
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
  const readCurrent = ({ db, caller, params }: { db: Db; caller: CallerIdentity; params: { uuid: number } }) =>
    read(db, caller, params.uuid);
  post('/users/:uuid/deactivate', {
    operationId: 'deactivateUserAccount',
    summary: 'Deactivate a user',
    description:
      'Their tokens are refused within a second. Not possible for the last active administrator (409 `last_admin`), yourself (409 `own_account`) and, without `despite_visits`, a user with upcoming visits (409 `visits_to_come`). The user’s provider also becomes inactive.',
    ...SWITCH,
    query: deactivationQuery,
    current: readCurrent,
    handle: async ({ db, caller, params, query }) => {
      await setAccountActive(db, caller, params.uuid, false, query.despite_visits ?? false);
      await leaveRoomsOfUser(db, caller, params.uuid);
      return read(db, caller, params.uuid);
    },
  });

  post('/users/:uuid/activate', {
    operationId: 'activateUserAccount',
    summary: 'Activate a user',
    ...SWITCH,
    current: readCurrent,
    handle: async ({ db, caller, params }) => {
      await setAccountActive(db, caller, params.uuid, true);
      return read(db, caller, params.uuid);
    },
  });

  remove('/users/:uuid/sessions', {
    operationId: 'deleteSessionsOfUserAccount',
    summary: 'End all sessions of a user',
    description: 'Their tokens are refused within a second.',
    stepUp: true,
    notForApps: true,
    params: userParams,
    handle: ({ db, caller, params }) => signOutAccount(db, caller, params.uuid),
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
    current: ({ db, caller, params }) => read(db, caller, params.uuid),
    handle: async ({ db, caller, params, request }) => {
      await takeFactorsAway(db, caller, { keyring, origin: readOrigin(request) }, params.uuid);
      return read(db, caller, params.uuid);
    },
  });
}
