import type { Db } from '../../../database/database.ts';
import { type Failure, invalid } from '../../errors.ts';
import { foldWords } from '../../values/same-text.ts';
import { hasSecondFactor } from '../factors/second-factors.ts';
import { normalizePassword } from '../secrets.ts';
import { isCommonPassword } from './common-passwords.ts';
import { findWeakness } from './password-strength.ts';

/** Characters of a password that is the only factor, as NIST SP 800-63B has it, and of one beside a second factor. */
const SHORTEST_PASSWORD = { alone: 15, withSecondFactor: 8 } as const;
/** Characters; more would only keep the server busy. */
export const LONGEST_PASSWORD = 1_000;
/** Names of fewer letters are parts of many words. */
const SHORTEST_NAME = 4;
const PRODUCT = 'Triptych';

/** The user of a password, as far as the rules depend on them. */
export interface PasswordOwner {
  firstName: string;
  lastName: string;
  /** With which the user signs in. */
  email: string;
  practiceName: string;
  hasSecondFactor: boolean;
}

export type PasswordFault = 'too_short' | 'too_long' | 'too_common' | 'contains_name' | 'too_easy';

/** Characters that a password of a user must have. */
export const shortestPassword = ({ hasSecondFactor }: Pick<PasswordOwner, 'hasSecondFactor'>): number =>
  hasSecondFactor ? SHORTEST_PASSWORD.withSecondFactor : SHORTEST_PASSWORD.alone;

/**
 * Refuses a password that is too short, common, made of the user's names, or easy to guess. There are no rules of composition.
 * @throws Failure invalid for the field `password`, with a PasswordFault as its code
 */
export async function requireGoodPassword(written: string, owner: PasswordOwner): Promise<void> {
  const password = normalizePassword(written);
  const length = [...password].length;
  const shortest = shortestPassword(owner);
  if (length < shortest) throw fault('too_short', `must have at least ${shortest} characters: several unrelated words`);
  if (length > LONGEST_PASSWORD) throw fault('too_long', `must have at most ${LONGEST_PASSWORD} characters`);
  if (await isCommonPassword(password)) throw fault('too_common', 'is one of the most common passwords: choose another one');
  const names = listOwnerNames(owner);
  if (containsName(password, names))
    throw fault('contains_name', 'must not contain your name, your email or the name of the practice: choose other words');
  const weakness = await findWeakness(password, names);
  if (weakness !== null)
    throw fault('too_easy', `is too easy to guess: ${weakness.replace(/\.$/, '') || 'choose several unrelated words'}`);
}

const fault = (code: PasswordFault, message: string): Failure => invalid('password', message, code);

/** The words of the names, folded. Of an email also the whole part before the @. */
function listOwnerNames({ firstName, lastName, email, practiceName }: PasswordOwner): string[] {
  const [mailbox = ''] = email.split('@');
  const words = [firstName, lastName, mailbox, practiceName, PRODUCT].flatMap((name) => foldWords(name).split(' '));
  return [...new Set([...words, foldWords(mailbox).replaceAll(' ', '')])].filter((word) => word.length >= SHORTEST_NAME);
}

function containsName(password: string, names: string[]): boolean {
  const folded = foldWords(password).replaceAll(' ', '');
  return names.some((name) => folded.includes(name));
}

/** The names that a user's password must not contain, and whether they have a second factor. */
export async function findPasswordOwner(
  db: Db,
  { organizationId, userId }: { organizationId: number; userId: number },
): Promise<PasswordOwner> {
  const user = await db.user.findUniqueOrThrow({
    where: { organizationId_id: { organizationId, id: userId } },
    select: { firstName: true, lastName: true, email: true, signIn: { select: { email: true }, take: 1 } },
  });
  const { name } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const { firstName, lastName } = user;
  return {
    firstName,
    lastName,
    email: user.signIn[0]?.email ?? user.email ?? '',
    practiceName: name,
    hasSecondFactor: await hasSecondFactor(db, { organizationId, userId }),
  };
}
