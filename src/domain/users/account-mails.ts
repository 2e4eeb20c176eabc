import type { Keyring } from '../../database/encryption/keyring.ts';
import { queueMail } from '../messaging/sending/outgoing-mails.ts';
import { sealPlaceholders } from '../messaging/templates/sealed-placeholders.ts';
import { nameOnOneLine } from '../practices/link-practice.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { type InEachLanguage, isLanguage, type Language, languageTag } from '../values/languages.ts';

export interface AccountMailDeps {
  keyring: Keyring;
  /** The origin of this server, without a slash at its end. */
  origin: string;
}

export interface MailedUser {
  userId: number;
  firstName: string;
  /** With which they sign in. */
  email: string;
  practiceName: string;
  language: Language;
}

/** A mail to a user, in the server's own words: its subject, and its body with `{{url}}`. */
export interface AccountMail {
  subject: string;
  body: string;
}

export type AccountMailWords = InEachLanguage<(to: MailedUser) => AccountMail>;

/** The user of a practice as the recipient of a mail; null without an address. */
export async function findMailedUser(tx: PracticeTx, userId: number): Promise<MailedUser | null> {
  const user = await tx.prisma.user.findUnique({
    where: tx.key(userId),
    select: { firstName: true, email: true, languageId: true, signIn: { select: { email: true }, take: 1 } },
  });
  const email = user?.signIn[0]?.email ?? user?.email;
  if (!user || !email) return null;
  const practice = await tx.prisma.organization.findUniqueOrThrow({ where: { id: tx.organizationId }, select: { name: true } });
  const tag = languageTag(user.languageId) ?? 'en';
  const language = isLanguage(tag) ? tag : 'en';
  return { userId, firstName: nameOnOneLine({ name: user.firstName }), email, practiceName: nameOnOneLine(practice), language };
}

/** Queues a mail to a user. @param path of the page that `{{url}}` opens; sealed until the mail is sent */
export async function mailUser(
  tx: Tx,
  { keyring, origin }: AccountMailDeps,
  to: MailedUser,
  { words, path }: { words: AccountMailWords; path: string },
): Promise<void> {
  const { subject, body } = words[to.language](to);
  await queueMail(tx, { to: to.email, subject, body: `${body}\n`, sealed: sealPlaceholders(keyring, { url: `${origin}${path}` }) });
}
