import { createTransport } from 'nodemailer';
import { z } from 'zod';
import { type Mailer, MailRefusal } from './mailer.ts';

export interface SmtpOptions {
  /** `smtps://user:password@host:465`, or `smtp://…:587`, which changes to TLS where the server offers it. */
  url: string;
  /** The address of the sender; bounces go there too. */
  from: string;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 20_000;

/** What nodemailer says of an answer of the server. */
const smtpError = z.object({ responseCode: z.int() });

/**
 * Hands mails to a mail server. SMTP has no way to ask whether a mail arrived: where the connection is lost between its end
 * and the server's word, it goes out again, with the same Message-ID and date, by which mailboxes know it.
 */
export function createSmtpMailer({ url, from }: SmtpOptions): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    // Nothing that a mail holds makes this server read a file or an address.
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
  };
}

/** 5xx is for ever (RFC 5321 4.2.1), but for a wrong password of ours, which an operator can mend; all else may pass. */
function throwMailError(error: unknown): never {
  const code = smtpError.safeParse(error).data?.responseCode ?? 0;
  const isAboutUs = code === 530 || code === 535;
  if (code >= 500 && !isAboutUs) throw new MailRefusal('mail_refused', `The mail server refuses the mail (${code}).`);
  throw error;
}
