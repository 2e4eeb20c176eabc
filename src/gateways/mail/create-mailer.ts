import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { createLocalMailer } from './local-mailer.ts';
import type { Mailer } from './mailer.ts';
import { createSmtpMailer } from './smtp-mailer.ts';

/** Creates the mailer that the configuration names. Opens no connection yet. */
export function createMailer({ SMTP_URL: url, MAIL_FROM: from }: Config, { prisma }: Database, keyring: Keyring): Mailer {
  return url === undefined || from === undefined ? createLocalMailer(prisma, keyring) : createSmtpMailer({ url, from });
}
