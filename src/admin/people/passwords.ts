import { z } from 'zod';
import { Failure } from '../../domain/errors.ts';
import { type PasswordOwner, requireGoodPassword } from '../../domain/identity/passwords/password-rules.ts';
import { hashPassword } from '../../domain/identity/passwords/passwords.ts';
import { newSecret } from '../../domain/identity/secrets.ts';
import { UsageError } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { type CommandResult, type Row, record, SHOWN_ONCE } from '../terminal/output.ts';

export const passwordStdin = () =>
  z.boolean().default(false).describe('read the password from standard input; otherwise one is made and shown once');

/**
 * Reads a password from standard input, or generates one of 192 random bits.
 * @returns its hash; `shown` is the generated password, null for one that was given
 * @throws UsageError for a password on standard input that breaks the rules
 */
export async function choosePassword(
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
export function withPassword(row: Row, shown: string | null): CommandResult {
  return shown === null ? record(row) : record({ ...row, password: shown }, SHOWN_ONCE);
}
