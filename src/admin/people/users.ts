import type { Command } from 'commander';
import { z } from 'zod';
import { createOwnOrigin } from '../../config/origin.ts';
import { findPasswordOwner } from '../../domain/identity/passwords/password-rules.ts';
import { findOrganization } from '../../domain/practices/organizations.ts';
import { leaveRoomsOfUser } from '../../domain/telehealth/presence/presence.ts';
import { takeFactorsAway } from '../../domain/users/factor-mails.ts';
import { inviteAgain, inviteUser } from '../../domain/users/invitations.ts';
import { updateUserAccount } from '../../domain/users/user-accounts.ts';
import {
  createUser,
  findUserAnywhere,
  listUsers,
  resetPassword,
  setUserActive,
  signOutUser,
  type UserWithSignIn,
} from '../../domain/users/users.ts';
import { writeInstant } from '../../domain/values/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { choice, email, organization, phone, text, userReference, yesNo } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { choosePassword, passwordStdin, withPassword } from './passwords.ts';
import { unlockCommand } from './users-unlock.ts';

/** The options of every command that makes a user. */
const newUser = () => ({
  organization: organization(),
  type: choice('admin', 'provider', 'staff').describe('what the user is in the practice'),
  firstName: text(100),
  lastName: text(100),
  email: email().describe('with which the user signs in; one on the whole server'),
  phone: phone().exactOptional().describe('telephone number'),
});

export function userCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const users = program.command('users').description('Users: the people who sign in.');

  command(users, 'create', {
    summary: 'Create a user who can sign in',
    options: z.object({
      ...newUser(),
      passwordStdin: passwordStdin(),
    }),
    run: async ({ db, write }, { organization: organizationId, passwordStdin: given, ...input }) => {
      const owner = async () => ({ ...input, practiceName: (await findOrganization(db, organizationId)).name, hasSecondFactor: false });
      const { shown, hash } = await choosePassword(given, io, owner);
      const user = await write(organizationId, (db, caller) => createUser(db, caller, input, hash));
      return withPassword(userRow(user), shown);
    },
  });

  command(users, 'list', {
    summary: 'List the users of a practice',
    details: 'Users of type interface belong to API clients and cannot sign in.',
    options: z.object({ organization: organization() }),
    run: async ({ read }, { organization: organizationId }) =>
      list((await read(organizationId, listUsers)).map(userRow), 'The practice has no users yet.'),
  });
  invitationCommands(users, command);
  unlockCommand(users, { command });
  sessionCommands(users, command, io);
  switchCommands(users, command);
  privacyOfficerCommand(users, command);
}

function sessionCommands(users: Command, command: CommandDeclarer['command'], io: Io): void {
  command(users, 'reset-password', {
    summary: 'Give a user a new password and end their sessions',
    options: z.object({ user: userReference(), passwordStdin: passwordStdin() }),
    run: async (session, { user: reference, passwordStdin: given }) => {
      const user = await findUserAnywhere(session.db, reference);
      const { organizationId, id: userId } = user;
      const { shown, hash } = await choosePassword(given, io, () => findPasswordOwner(session.db, { organizationId, userId }));
      await session.write(organizationId, (db, caller) => resetPassword(db, caller, user, hash));
      return withPassword(await now(session, user), shown);
    },
  });

  command(users, 'sign-out', {
    summary: 'End all sessions of a user, on every device',
    details: 'Their tokens are refused within a second.',
    options: z.object({ user: userReference() }),
    run: async ({ db, write }, { user: reference }) => {
      const { id: userId, organizationId } = await findUserAnywhere(db, reference);
      const ended = await write(organizationId, (tx, caller) => signOutUser(tx, caller, userId));
      return record({ id: userId, organization_id: organizationId, sessions_ended: ended });
    },
  });

  command(users, 'reset-second-factors', {
    summary: 'Take all second factors of a user away, who has lost them',
    details:
      'Their recovery codes go too, their sessions end, and they are told by mail. The next sign-in needs their password, and adds a factor if the practice requires one.',
    options: z.object({ user: userReference() }),
    run: async (session, { user: reference }) => {
      const { id: userId, organizationId } = await findUserAnywhere(session.db, reference);
      const { factors, sessions } = await session.write(organizationId, (tx, caller) =>
        takeFactorsAway(tx, caller, mailDeps(session), userId),
      );
      return record({ id: userId, organization_id: organizationId, factors_deleted: factors, sessions_ended: sessions.length });
    },
  });
}

function privacyOfficerCommand(users: Command, command: CommandDeclarer['command']): void {
  command(users, 'privacy-officer', {
    summary: 'Say whether a user is told of each emergency access to a restricted chart',
    details: 'Privacy officers also see all of them, at /break-glass. In a practice without one, its admins are told.',
    options: z.object({ user: userReference(), on: yesNo().describe('whether the user is a privacy officer') }),
    run: async (session, { user: reference, on: privacyOfficer }) => {
      const user = await findUserAnywhere(session.db, reference);
      await session.write(user.organizationId, (db, caller) => updateUserAccount(db, caller, user.id, { privacyOfficer }));
      return record({ ...(await now(session, user)), privacy_officer: privacyOfficer });
    },
  });
}

/** The origin of links in mails that a command queues, and their key. */
const mailDeps = ({ config, keyring }: Session) => ({ keyring, origin: createOwnOrigin(config).origin() });

function invitationCommands(users: Command, command: CommandDeclarer['command']): void {
  command(users, 'invite', {
    summary: 'Create a user and mail them a link with which they choose their password',
    details: 'The link works for seven days, and once. For a user who has not accepted yet, use users invite-again.',
    options: z.object(newUser()),
    run: async (session, { organization: organizationId, ...input }) =>
      record(userRow(await session.write(organizationId, (db, caller) => inviteUser(db, caller, mailDeps(session), input)))),
  });

  command(users, 'invite-again', {
    summary: 'Mail a user who has not accepted yet a new link',
    details: 'Former links do not work any more.',
    options: z.object({ user: userReference() }),
    run: async (session, { user: reference }) => {
      const user = await findUserAnywhere(session.db, reference);
      await session.write(user.organizationId, (db, caller) => inviteAgain(db, caller, mailDeps(session), user.id));
      return record(await now(session, user));
    },
  });
}

function switchCommands(users: Command, command: CommandDeclarer['command']): void {
  const run =
    (active: boolean) =>
    async (session: Session, { user: reference }: { user: string | number }) => {
      const user = await findUserAnywhere(session.db, reference);
      await session.write(user.organizationId, async (db, caller) => {
        await setUserActive(db, caller, user.id, active);
        if (!active) await leaveRoomsOfUser(db, caller, user.id);
      });
      return record(await now(session, user));
    };
  command(users, 'deactivate', {
    summary: 'Shut a user out',
    details: 'They cannot sign in, their tokens are refused within a second, and the visits that they lead go on without them.',
    options: z.object({ user: userReference() }),
    run: run(false),
  });
  command(users, 'activate', { summary: 'Let a user in again', options: z.object({ user: userReference() }), run: run(true) });
}

const now = async ({ db }: Session, { id: userId }: UserWithSignIn): Promise<Row> => userRow(await findUserAnywhere(db, userId));

const userRow = (user: UserWithSignIn): Row => ({
  id: user.id,
  organization_id: user.organizationId,
  type: user.type,
  first_name: user.firstName,
  last_name: user.lastName,
  sign_in_email: user.signIn[0]?.email ?? null,
  active: user.active,
  verified: user.verified,
  last_seen_at: user.lastSeenAt && writeInstant(user.lastSeenAt),
});
