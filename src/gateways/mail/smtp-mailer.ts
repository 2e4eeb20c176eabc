import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { isLoopback } from '../../config/production.ts';
import { type Mailer, MailRefusal } from './mailer.ts';

export interface SmtpOptions {
  /** `smtps://user:password@host:465`, or `smtp://…:587`, which changes to TLS; `?ignoreTLS=true` sends in the clear. */
  url: string;
  /** Sender address, which also receives bounces. */
  from: string;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;

/** The part of nodemailer's errors with its own code, and the server's reply code. */
const smtpError = z.object({ code: z.string().optional(), responseCode: z.int() });

/**
 * Sends mails by SMTP, which cannot tell whether a mail was accepted when the connection is lost before the server's
 * reply. Such a mail is sent again with the same Message-ID and date, by which mailboxes recognize it.
 */
export function createSmtpMailer({ url, from }: SmtpOptions): Mailer {
  const transport = createTransport({
    url,
    requireTLS: mustEncrypt(new URL(url)),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    // The content of a mail cannot make this server read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1);
  return {
    name: 'smtp',
    async send({ reference, fromName, to, subject, body }) {
      const messageId = `<${reference}@${domain}>`;
      const mail = { messageId, from: { name: fromName, address: from }, to: { name: '', address: to }, subject, text: body };
      const headers = { 'Auto-Submitted': 'auto-generated' };
      await transport.sendMail({ ...mail, headers }).catch(throwMailError);
      return { id: messageId };
    },
    async check() {
      await transport.verify();
    },
  };
}

/** Mails have links that open what they are about. A server that offers no TLS, or whose offer somebody took out, gets none. */
const mustEncrypt = (url: URL): boolean => url.protocol === 'smtp:' && !isLoopback(url) && url.searchParams.get('ignoreTLS') !== 'true';

/** 5xx replies are permanent (RFC 5321 4.2.1), except failed authentication and missing TLS, which an operator can fix. All others may pass. */
function throwMailError(error: unknown): never {
  const { code: reason, responseCode: code = 0 } = smtpError.safeParse(error).data ?? {};
  const isAboutUs = code === 530 || code === 535 || reason === 'ETLS';
  if (code >= 500 && !isAboutUs) throw new MailRefusal('mail_refused', `The mail server refuses the mail (${code}).`);
  throw error;
}
