import type { Command } from 'commander';
import { z } from 'zod';
import { createOwnOrigin } from '../../config/origin.ts';
import { Failure } from '../../domain/errors.ts';
import { findPasswordOwner, type PasswordOwner, requireGoodPassword } from '../../domain/identity/passwords/password-rules.ts';
import { hashPassword } from '../../domain/identity/passwords/passwords.ts';
import { newSecret } from '../../domain/identity/secrets.ts';
import { unlinkUser } from '../../domain/identity/single-sign-on/external-identities.ts';
import { takeFactorsAway } from '../../domain/users/factor-mails.ts';
import { inviteAgain } from '../../domain/users/invitations.ts';
import { createUser, findUserAnywhere, listUsers, resetPassword, signOutUser, type UserWithSignIn } from '../../domain/users/users.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { choice, email, phone, text, userReference } from '../terminal/options.ts';
import { type CommandResult, list, type Row, record, SHOWN_ONCE } from '../terminal/output.ts';
import { findPractice, practice } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';
import { unlockCommand } from './users-unlock.ts';

export function userCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const users = program.command('users').description('Users: the people who sign in.');

  command(users, 'create', {
    summary: 'Create a user who can sign in',
    options: z.object({
      practice: practice(),
      type: choice('admin', 'provider', 'staff').describe('role of the user in the practice'),
      firstName: text(100),
      lastName: text(100),
      email: email().describe('email for signing in; unique on the server'),
      phone: phone().exactOptional().describe('telephone number'),
      passwordStdin: passwordStdin(),
    }),
    run: async ({ db, write }, { practice, passwordStdin: given, ...input }) => {
      const owner = async () => ({ ...input, practiceName: (await findPractice(db, practice)).name, hasSecondFactor: false });
      const { shown, hash } = await choosePassword(given, io, owner);
      const user = await write(practice, (tx) => createUser(tx, input, hash));
      return withPassword(userRow(user), shown);
    },
  });

  command(users, 'list', {
    summary: 'List the users of a practice',
    details: 'Users of type interface belong to API clients and cannot sign in.',
    options: z.object({ practice: practice() }),
    run: async ({ read }, { practice }) => list((await read(practice, listUsers)).map(userRow), 'The practice has no users yet.'),
  });
  invitationCommands(users, command);
  unlockCommand(users, { command });
  sessionCommands(users, command, io);
  unlinkCommand(users, command);
}

function sessionCommands(users: Command, command: CommandDeclarer['command'], io: Io): void {
  command(users, 'reset-password', {
    summary: 'Set a new password for a user and end their sessions',
    options: z.object({ user: userReference(), passwordStdin: passwordStdin() }),
    run: async (session, { user: reference, passwordStdin: given }) => {
      const user = await findUserAnywhere(session.db, reference);
      const { organizationId, id: userId } = user;
      const { shown, hash } = await choosePassword(given, io, () => findPasswordOwner(session.db, { organizationId, userId }));
      await session.write(organizationId, (tx) => resetPassword(tx, user, hash));
      return withPassword(await readUserRow(session, user), shown);
    },
  });

  command(users, 'sign-out', {
    summary: 'End all sessions of a user, on every device',
    details: 'Their tokens are refused within a second.',
    options: z.object({ user: userReference() }),
    run: async ({ db, write }, { user: reference }) => {
      const { id: userId, organizationId } = await findUserAnywhere(db, reference);
      const ended = await write(organizationId, (tx) => signOutUser(tx, userId));
      return record({ id: userId, practice_id: organizationId, sessions_ended: ended });
    },
  });

  command(users, 'reset-second-factors', {
    summary: 'Remove all second factors of a user who has lost them',
    details:
      'Also deletes recovery codes, ends all sessions and notifies the user by mail. The next sign-in needs only the password; if the practice requires a second factor, the user must add one.',
    options: z.object({ user: userReference() }),
    run: async (session, { user: reference }) => {
      const { id: userId, organizationId } = await findUserAnywhere(session.db, reference);
      const { factors, sessions } = await session.write(organizationId, (tx) => takeFactorsAway(tx, mailDeps(session), userId));
      return record({ id: userId, practice_id: organizationId, factors_deleted: factors, sessions_ended: sessions.length });
    },
  });
}

/** The origin of links in mails that a command queues, and their key. */
const mailDeps = ({ config, keyring }: Session) => ({ keyring, origin: createOwnOrigin(config).origin() });

function invitationCommands(users: Command, command: CommandDeclarer['command']): void {
  command(users, 'invite-again', {
    summary: 'Mail a new link to a user who has not accepted yet',
    details: 'Former links stop working.',
    options: z.object({ user: userReference() }),
    run: async (session, { user: reference }) => {
      const user = await findUserAnywhere(session.db, reference);
      await session.write(user.organizationId, (tx) => inviteAgain(tx, mailDeps(session), user.id));
      return record(await readUserRow(session, user));
    },
  });
}

function unlinkCommand(users: Command, command: CommandDeclarer['command']): void {
  command(users, 'unlink', {
    summary: 'Remove the link between a user and their account at the identity provider',
    details: 'The next sign-in links the user again by mail address.',
    options: z.object({ user: userReference() }),
    run: async ({ db, write }, { user: reference }) => {
      const { id: userId, organizationId } = await findUserAnywhere(db, reference);
      const unlinked = await write(organizationId, (tx) => unlinkUser(tx, userId));
      return record({ id: userId, practice_id: organizationId, unlinked });
    },
  });
}

const readUserRow = async ({ db }: Session, { id: userId }: UserWithSignIn): Promise<Row> => userRow(await findUserAnywhere(db, userId));

const userRow = (user: UserWithSignIn): Row => ({
  id: user.id,
  practice_id: user.organizationId,
  type: user.type,
  first_name: user.firstName,
  last_name: user.lastName,
  sign_in_email: user.signIn[0]?.email ?? null,
  active: user.active,
  verified: user.verified,
  last_seen_at: user.lastSeenAt && writeInstant(user.lastSeenAt),
});

const passwordStdin = () =>
  z.boolean().default(false).describe('read the password from standard input; otherwise one is generated and shown once');

/**
 * Reads a password from standard input, or generates one of 192 random bits.
 * @returns its hash; `shown` is the generated password, null for one that was given
 * @throws UsageError for a password on standard input that breaks the rules
 */
async function choosePassword(
  given: boolean,
  io: Io,
  owner: () => Promise<PasswordOwner>,
): Promise<{ shown: string | null; hash: string }> {
  if (!given) {
    const made = newSecret();
    return { shown: made, hash: await hashPassword(made) };
  }
  const password = await readInput(io);
  if (/\p{Cc}/u.test(password)) throw new UsageError('The password on standard input must be one line.');
  await requireGoodPassword(password, await owner()).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'invalid')
      throw new UsageError(`The password on standard input ${error.issues[0]?.message ?? error.message}.`);
    throw error;
  });
  return { shown: null, hash: await hashPassword(password) };
}

/** The result of a command: the row, with the password where this program generated it. */
function withPassword(row: Row, shown: string | null): CommandResult {
  return shown === null ? record(row) : record({ ...row, password: shown }, SHOWN_ONCE);
}
