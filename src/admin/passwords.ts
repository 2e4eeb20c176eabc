import { z } from 'zod';
import { hashSecret, newSecret } from '../domain/identity/secrets.ts';
import { UsageError } from './command.ts';
import { type Io, readInput } from './io.ts';
import { type CommandResult, type Row, record, SHOWN_ONCE } from './output.ts';

export const passwordStdin = () =>
  z.boolean().default(false).describe('read the password from standard input; otherwise one is made and shown once');

/**
 * Reads a password from standard input, or generates one of 192 random bits.
 * @returns its hash; `shown` is the generated password, null for one that was given
 */
export async function choosePassword(given: boolean, io: Io): Promise<{ shown: string | null; hash: string }> {
  if (!given) {
    const made = newSecret();
    return { shown: made, hash: await hashSecret(made) };
  }
  return { shown: null, hash: await hashSecret(await readPassword(io)) };
}

/** NIST SP 800-63B: 15 characters if the password is the only factor, and no composition rules. */
const SHORTEST_PASSWORD = 15;
/** `POST /login` accepts no longer password. */
const LONGEST_PASSWORD = 1_000;

async function readPassword(io: Io): Promise<string> {
  const password = await readInput(io);
  if (/\p{Cc}/u.test(password)) throw new UsageError('The password on standard input must be one line.');
  if (password.length < SHORTEST_PASSWORD || password.length > LONGEST_PASSWORD) {
    throw new UsageError(`The password on standard input must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters.`);
  }
  return password;
}

/** The result of a command: the row, with the password where this program generated it. */
export function withPassword(row: Row, shown: string | null): CommandResult {
  return shown === null ? record(row) : record({ ...row, password: shown }, SHOWN_ONCE);
}
