import { endOwnSession, endOwnSessions, listSessions } from '../../../../domain/identity/sessions/session-list.ts';
import type { Authenticator } from '../../../../http/auth/authenticate.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { checkPasswordChange, startPasswordReset, storeOwnPassword } from '../../../../http/sign-in/own-password.ts';
import type { PasswordDeps } from '../../../../http/sign-in/sign-in.ts';
import { NoContent, writePage } from '../../shared.wire.ts';
import {
  endSessionsQuery,
  ForgotPasswordRequest,
  ForgotPasswordResponse,
  fromSession,
  PasswordChange,
  SessionList,
  sessionParams,
  sessionsQuery,
} from './account.wire.ts';

interface AccountDeps extends PasswordDeps {
  authenticator: Authenticator;
}

const ACCOUNT = { tag: 'Authorization', beyondDocument: true, notForApps: true } as const;

export function accountRoutes(endpoints: Endpoints, deps: AccountDeps): void {
  passwordRoutes(endpoints, deps);
  sessionRoutes(endpoints, deps);
}

function passwordRoutes(endpoints: Endpoints, deps: AccountDeps): void {
  const { put, postPublic } = endpoints.group(ACCOUNT);
  put('/user/password', {
    operationId: 'changePassword',
    summary: 'Change your password',
    description:
      'Ends your sessions on all other devices, and notifies you by mail. A wrong current password counts as a failed sign-in, and is reported as a field error.',
    body: PasswordChange,
    response: NoContent,
    status: 204,
    lookup: ({ body, request }) =>
      checkPasswordChange(deps, request.caller, { currentPassword: body.current_password, password: body.password }, request),
    handle: async ({ tx, request, lookupResult: passwordHash }) => {
      for (const id of await storeOwnPassword(deps, tx, passwordHash, request)) deps.authenticator.revoke(id);
      return null;
    },
  });

  postPublic('/forgot-password', {
    operationId: 'sendPasswordLink',
    summary: 'Send a link to set a new password',
    description:
      'The link is mailed to the address if it belongs to an account. It works once, within an hour; a newer link replaces it. The response is the same for every address. An account gets at most three links an hour; a network address can make twenty requests an hour.',
    body: ForgotPasswordRequest,
    response: ForgotPasswordResponse,
    handle: async ({ body, request }) => {
      await startPasswordReset(deps, body.email, request);
      return { data: { message: 'If an account has this address, a link to set a new password was sent to it.' } };
    },
  });
}

function sessionRoutes(endpoints: Endpoints, { authenticator }: AccountDeps): void {
  const { get, remove } = endpoints.group(ACCOUNT);
  get('/user/sessions', {
    operationId: 'listSessions',
    summary: 'List the devices on which you are signed in',
    description: 'Your open sessions, newest first.',
    query: sessionsQuery,
    response: SessionList,
    handle: async ({ tx, query, request }) => writePage(request, await listSessions(tx, query), fromSession),
  });

  remove('/user/sessions', {
    operationId: 'endSessions',
    summary: 'End all your other sessions',
    description: 'Their tokens and pages stop working within a second.',
    query: endSessionsQuery,
    handle: async ({ tx, query }) => {
      const ended = await endOwnSessions(tx, { includingCurrent: query.including_current });
      for (const id of ended) authenticator.revoke(id);
    },
  });

  remove('/user/sessions/:id', {
    operationId: 'endSession',
    summary: 'End one of your sessions',
    description: 'Its tokens and pages stop working within a second.',
    params: sessionParams,
    handle: async ({ tx, params }) => {
      await endOwnSession(tx, params.id);
      authenticator.revoke(params.id);
    },
  });
}
