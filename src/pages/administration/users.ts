import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { takeFactorsAway } from '../../domain/accounts/factor-mails.ts';
import { inviteAgain, inviteUser } from '../../domain/accounts/invitations.ts';
import type { Caller } from '../../domain/caller.ts';
import { unlockUser } from '../../domain/identity/account-locks.ts';
import { requireLinkPractice } from '../../domain/practices/link-practice.ts';
import { listUserAccounts, setAccountActive, signOutAccount, updateUserAccount, withLocks } from '../../domain/practices/user-accounts.ts';
import { leaveRoomsOfUser } from '../../domain/telehealth/presence.ts';
import { readInput } from '../../http/input.ts';
import { originOf } from '../../http/links.ts';
import { email, id, text } from '../../http/wire-types.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { adminOf, provenAdminOf, runForm, sendPage } from './run-form.ts';
import { usersPage } from './users-view.ts';

const HIDDEN = { schema: { hide: true } };
const ADDRESS = '/administration/users';
const PAGE_ROWS = 50;
const query = z.object({
  search: z.string().trim().max(200).default('').catch(''),
  page: z.coerce.number().int().min(1).max(100_000).default(1).catch(1),
});
const STEPS = ['activate', 'deactivate', 'sign-out', 'reset-second-factors', 'invite', 'unlock'] as const;
const userParams = z.object({ user: id() });
const stepParams = z.object({ user: id(), step: z.enum(STEPS) });
const UserForm = z.object({
  first_name: text(100).min(1),
  last_name: text(100).min(1),
  role: z.enum(['admin', 'provider', 'staff']),
  privacy_officer: z.literal('yes').optional(),
});
const InvitationForm = UserForm.extend({ email: email() });

type UsersDeps = Pick<StaffPageDeps, 'unitOfWork' | 'database' | 'keyring' | 'config'>;

/** The users of the practice. To be registered in a staffScope. */
export function usersPages(app: FastifyInstance, deps: UsersDeps): void {
  const { unitOfWork, database } = deps;
  const show = (request: FastifyRequest, problem?: string) => showUsers(deps, request, problem);
  app.get('/administration', HIDDEN, (_request, reply) => reply.redirect(ADDRESS, 303));
  app.get(ADDRESS, HIDDEN, async (request, reply) => sendPage(reply, await show(request)));

  app.post(ADDRESS, HIDDEN, (request, reply) => {
    const work = async () => {
      const { email, ...form } = readInput(InvitationForm, request.body ?? {});
      const { role: type, ...fields } = fieldsOf(form);
      return unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) =>
        inviteUser(db, caller, mailsOf(deps, request), { ...fields, type, email }),
      );
    };
    return runForm(reply, ADDRESS, work, (problem) => show(request, problem));
  });

  app.post(`${ADDRESS}/:user`, HIDDEN, (request, reply) => {
    const { user } = readInput(userParams, request.params);
    const work = async () => {
      const fields = fieldsOf(readInput(UserForm, request.body ?? {}));
      return unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) => updateUserAccount(db, caller, user, fields));
    };
    return runForm(reply, ADDRESS, work, (problem) => show(request, problem));
  });

  app.post(`${ADDRESS}/:user/:step`, HIDDEN, (request, reply) => {
    const { user, step } = readInput(stepParams, request.params);
    const work = async () =>
      unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) => takeStep(db, caller, { user, step, deps, request }));
    return runForm(reply, ADDRESS, work, (problem) => show(request, problem));
  });
}

function showUsers({ unitOfWork, keyring, config }: UsersDeps, request: FastifyRequest, problem?: string): Promise<string> {
  const { search, page } = readInput(query, request.query);
  const words = search.split(/\s+/).filter((word) => word !== '');
  const locks = { keyring, failures: config.SIGN_IN_FAILURES_ACCOUNT };
  return unitOfWork.read(adminOf(request), async (db, caller) => {
    const users = await listUserAccounts(db, caller, { words }, { sort: 'name', order: 'ASC' }, { page, limit: PAGE_ROWS });
    const items = await withLocks(db, locks, users.items);
    return usersPage({ practice: await requireLinkPractice(db, caller), users: { ...users, items }, search, problem });
  });
}

const fieldsOf = (form: z.output<typeof UserForm>) => ({
  firstName: form.first_name,
  lastName: form.last_name,
  role: form.role,
  privacyOfficer: form.privacy_officer === 'yes',
});

const mailsOf = ({ keyring }: UsersDeps, request: FastifyRequest) => ({ keyring, origin: originOf(request) });

interface Step {
  user: number;
  step: (typeof STEPS)[number];
  deps: UsersDeps;
  request: FastifyRequest;
}

async function takeStep(db: Db, caller: Caller, { user, step, deps, request }: Step): Promise<void> {
  if (step === 'sign-out') return signOutAccount(db, caller, user);
  if (step === 'reset-second-factors') {
    await takeFactorsAway(db, caller, mailsOf(deps, request), user);
    return;
  }
  if (step === 'invite') return inviteAgain(db, caller, mailsOf(deps, request), user);
  if (step === 'unlock') return unlockUser(db, caller, deps.keyring, user);
  await setAccountActive(db, caller, user, step === 'activate');
  if (step === 'deactivate') await leaveRoomsOfUser(db, caller, user);
}
