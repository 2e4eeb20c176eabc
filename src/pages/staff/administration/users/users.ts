import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unlockUser } from '../../../../domain/identity/limits/account-locks.ts';
import { requireLinkPractice } from '../../../../domain/practices/link-practice.ts';
import { leaveRoomsOfUser } from '../../../../domain/telehealth/presence/presence.ts';
import type { Tx } from '../../../../domain/tx.ts';
import { takeFactorsAway } from '../../../../domain/users/factor-mails.ts';
import { inviteAgain, inviteUser } from '../../../../domain/users/invitations.ts';
import {
  findLockableAccount,
  listUserAccounts,
  setAccountActive,
  signOutAccount,
  updateUserAccount,
  withLocks,
} from '../../../../domain/users/user-accounts.ts';
import { readInput } from '../../../../http/input/input.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { email, id, text } from '../../../../http/wire/wire-types.ts';
import { sendPage } from '../../../design/layout/page.ts';
import type { RefusedForm } from '../../forms/form-state.ts';
import { newsIn, requireAdmin, requireProvenAdmin, requireUnchanged, runForm } from '../../forms/run-form.ts';
import type { StaffPageDeps } from '../../sign-in/staff-page-deps.ts';
import { USER_STEPS, userPage, userValues } from './user-view.ts';
import { usersPage } from './users-view.ts';

const ADDRESS = '/administration/users';
const PAGE_ROWS = 50;
const query = z.object({
  search: text(200).default('').catch(''),
  page: z.coerce.number().int().min(1).max(100_000).default(1).catch(1),
});
const userParams = z.object({ user: id() });
const stepParams = z.object({ user: id(), step: z.enum(USER_STEPS) });
const UserForm = z.object({
  first_name: text(100).min(1),
  last_name: text(100).min(1),
  role: z.enum(['admin', 'provider', 'staff']),
  privacy_officer: z.literal('yes').optional(),
});
const InvitationForm = UserForm.extend({ email: email() });

const DONE = {
  invited: 'The invitation was sent. The user is listed as invited until they have chosen a password.',
  saved: 'The changes are saved.',
  unlock: 'The account was unlocked.',
  invite: 'Another invitation was sent. The former link no longer works.',
  'sign-out': 'All sessions of the user have ended.',
  'reset-second-factors': 'The second factors were removed, and the user was notified by mail.',
  deactivate: 'The user was deactivated.',
  activate: 'The user can sign in again.',
};

type UsersDeps = Pick<StaffPageDeps, 'unitOfWork' | 'database' | 'keyring' | 'config'>;

/** The users of the practice. To be registered in a staffScope. */
export function usersPages(app: FastifyInstance, deps: UsersDeps): void {
  const { unitOfWork, database } = deps;
  app.get('/administration', (_request, reply) => reply.redirect(ADDRESS, 303));
  app.get(ADDRESS, async (request, reply) => sendPage(reply, await showUsers(deps, request)));

  app.post(ADDRESS, (request, reply) => {
    const work = async () => {
      const { email, ...form } = readInput(InvitationForm, request.body ?? {});
      const { role: type, ...fields } = toUserFields(form);
      return unitOfWork.write(await requireProvenAdmin(database.prisma, request), (tx) =>
        inviteUser(tx, toMailDeps(deps, request), { ...fields, type, email }),
      );
    };
    return runForm(request, reply, { address: ADDRESS, done: 'invited', work, show: (refused) => showUsers(deps, request, refused) });
  });

  app.get(`${ADDRESS}/:user`, async (request, reply) => sendPage(reply, await showUser(deps, request)));

  app.post(`${ADDRESS}/:user`, (request, reply) => {
    const { user } = readInput(userParams, request.params);
    const work = async () => {
      const fields = toUserFields(readInput(UserForm, request.body ?? {}));
      return unitOfWork.write(await requireProvenAdmin(database.prisma, request), async (tx) => {
        requireUnchanged(request, userValues(await findLockableAccount(tx, toLockDeps(deps), user)));
        await updateUserAccount(tx, user, fields);
      });
    };
    const show = (refused: RefusedForm) => showUser(deps, request, refused);
    return runForm(request, reply, { address: `${ADDRESS}/${user}`, done: 'saved', work, show });
  });

  app.post(`${ADDRESS}/:user/:step`, (request, reply) => {
    const { user, step } = readInput(stepParams, request.params);
    const work = async () =>
      unitOfWork.write(await requireProvenAdmin(database.prisma, request), (tx) => takeStep(tx, { user, step, deps, request }));
    const show = (refused: RefusedForm) => showUser(deps, request, refused);
    return runForm(request, reply, { address: `${ADDRESS}/${user}`, done: step, isButton: true, work, show });
  });
}

const toLockDeps = ({ keyring, config }: UsersDeps) => ({ keyring, failures: config.SIGN_IN_FAILURES_ACCOUNT });

function showUsers(deps: UsersDeps, request: FastifyRequest, refused?: RefusedForm): Promise<string> {
  const { search, page } = readInput(query, request.query);
  const words = search.split(/\s+/).filter((word) => word !== '');
  return deps.unitOfWork.read(requireAdmin(request), async (tx) => {
    const users = await listUserAccounts(tx, { words }, { sort: 'name', order: 'ASC' }, { page, limit: PAGE_ROWS });
    const items = await withLocks(tx.prisma, toLockDeps(deps), users.items);
    const practice = await requireLinkPractice(tx);
    return usersPage({ practice, users: { ...users, items }, search, refused, news: newsIn(request, DONE) });
  });
}

function showUser(deps: UsersDeps, request: FastifyRequest, refused?: RefusedForm): Promise<string> {
  const { user: userId } = readInput(userParams, request.params);
  return deps.unitOfWork.read(requireAdmin(request), async (tx) => {
    const user = await findLockableAccount(tx, toLockDeps(deps), userId);
    const practice = await requireLinkPractice(tx);
    return userPage({ practice, user, isSelf: tx.userId === userId, refused, news: newsIn(request, DONE) });
  });
}

const toUserFields = (form: z.output<typeof UserForm>) => ({
  firstName: form.first_name,
  lastName: form.last_name,
  role: form.role,
  privacyOfficer: form.privacy_officer === 'yes',
});

const toMailDeps = ({ keyring }: UsersDeps, request: FastifyRequest) => ({ keyring, origin: readOrigin(request) });

interface Step {
  user: number;
  step: (typeof USER_STEPS)[number];
  deps: UsersDeps;
  request: FastifyRequest;
}

async function takeStep(tx: Tx, { user, step, deps, request }: Step): Promise<void> {
  if (step === 'sign-out') return signOutAccount(tx, user);
  if (step === 'reset-second-factors') {
    await takeFactorsAway(tx, toMailDeps(deps, request), user);
    return;
  }
  if (step === 'invite') return inviteAgain(tx, toMailDeps(deps, request), user);
  if (step === 'unlock') return unlockUser(tx, deps.keyring, user);
  await setAccountActive(tx, user, step === 'activate');
  if (step === 'deactivate') await leaveRoomsOfUser(tx, user);
}
