import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { createLocalMailer } from './local-mailer.ts';
import type { Mailer } from './mailer.ts';

/** Creates the mailer that the configuration names. Opens no connection yet. */
export async function createMailer({ SMTP_URL: url, MAIL_FROM: from }: Config, { prisma }: Database, keyring: Keyring): Promise<Mailer> {
  if (url === undefined || from === undefined) return createLocalMailer(prisma, keyring);
  const { createSmtpMailer } = await import('./smtp-mailer.ts');
  return createSmtpMailer({ url, from });
}
