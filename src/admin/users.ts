import type { Command } from 'commander';
import { z } from 'zod';
import {
  createUser,
  findUserAnywhere,
  listUsers,
  resetPassword,
  setUserActive,
  signOutUser,
  type UserWithSignIn,
} from '../domain/practices/users.ts';
import { leaveRoomsOfUser } from '../domain/telehealth/presence.ts';
import { writeInstant } from '../domain/values/time.ts';
import type { CommandDeclarer } from './command.ts';
import type { Io } from './io.ts';
import { choice, email, id, organization, phone, text } from './options.ts';
import { list, type Row, record } from './output.ts';
import { choosePassword, passwordStdin, withPassword } from './passwords.ts';
import type { Session } from './session.ts';

const userReference = () =>
  z.union([id(), email()], 'must be an email or an id').meta({ positional: true }).describe('the email they sign in with, or their id');
export function userCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const users = program.command('users').description('Users: the people who sign in.');

  command(users, 'create', {
    summary: 'Create a user who can sign in',
    options: z.object({
      organization: organization(),
      type: choice('admin', 'provider', 'staff').describe('what the user is in the practice'),
      firstName: text(100),
      lastName: text(100),
      email: email().describe('with which the user signs in; one on the whole server'),
      phone: phone().exactOptional().describe('telephone number'),
      passwordStdin: passwordStdin(),
    }),
    run: async ({ write }, { organization: organizationId, passwordStdin: given, ...input }) => {
      const { shown, hash } = await choosePassword(given, io);
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
  sessionCommands(users, command, io);
  switchCommands(users, command);
}

function sessionCommands(users: Command, command: CommandDeclarer['command'], io: Io): void {
  command(users, 'reset-password', {
    summary: 'Give a user a new password and end their sessions',
    options: z.object({ user: userReference(), passwordStdin: passwordStdin() }),
    run: async (session, { user: reference, passwordStdin: given }) => {
      const { shown, hash } = await choosePassword(given, io);
      const user = await findUserAnywhere(session.db, reference);
      await session.write(user.organizationId, (db, caller) => resetPassword(db, caller, user, hash));
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
  last_seen_at: user.lastSeenAt && writeInstant(user.lastSeenAt),
});
