import type { Keyring } from '../../database/encryption/keyring.ts';
import { jobCaller } from '../../domain/caller.ts';
import { prepareMail, recordMailFailed, recordMailSent } from '../../domain/messaging/sending/outgoing-mails.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { findFaults } from '../../domain/values/test-practices.ts';
import { type Mailer, MailRefusal } from '../../gateways/mail/mailer.ts';
import { countMessage } from '../measures/measure-surroundings.ts';
import type { QueueHandler } from '../queue/queue.ts';
import { waitAtMost } from './send-texts.ts';

/** Milliseconds to wait for the mail server's response. */
const MAIL_SERVER_TIMEOUT_MS = 45_000;

/** Sends mails as sendTexts sends texts; the reference is the Message-ID. */
export function sendMails({ unitOfWork, mailer, keyring }: { unitOfWork: UnitOfWork; mailer: Mailer; keyring: Keyring }): QueueHandler {
  return {
    async run(organizationId, id) {
      const caller = jobCaller(organizationId, 'send-mail');
      const mail = await unitOfWork.write(caller, (tx) => prepareMail(tx, id, keyring));
      if (mail === null) return 'done';
      const response =
        findFaults(organizationId).mail === 'bounce'
          ? { refused: 'mail_refused' }
          : await waitAtMost(MAIL_SERVER_TIMEOUT_MS, mailer.send(mail)).catch(toFailureKind);
      // The message of the error may name an address: only its kind is stored.
      if (response === 'unreachable') {
        countMessage('mail', 'retried');
        return { again: 'mail_server_unreachable' };
      }
      await unitOfWork.write(caller, (tx) => ('refused' in response ? recordMailFailed(tx, id, response.refused) : recordMailSent(tx, id)));
      countMessage('mail', 'refused' in response ? 'refused' : 'sent');
      return 'done';
    },
    async giveUp(organizationId, id) {
      await unitOfWork.write(jobCaller(organizationId, 'send-mail'), (tx) => recordMailFailed(tx, id, 'mail_server_unreachable'));
      countMessage('mail', 'given_up');
    },
  };
}

function toFailureKind(error: unknown): { refused: string } | 'unreachable' {
  return error instanceof MailRefusal ? { refused: error.code } : 'unreachable';
}
