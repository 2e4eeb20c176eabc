import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { createUnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import { CARRIER_WEBHOOK } from '../gateways/create-carrier.ts';
import type { Gateways } from '../gateways/gateways.ts';
import type { Outbox, QueueHandlers } from './queue.ts';
import { sendMails } from './send-mails.ts';
import { sendPushes } from './send-push.ts';
import { sendTexts } from './send-texts.ts';

/** The jobs of the queue, on the gateways that are given. */
export function createQueueHandlers(
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
  database: Database,
  outbox: Outbox,
  { carrier, mailer, push, keyring }: Pick<Gateways, 'carrier' | 'mailer' | 'push'> & { keyring: Keyring },
): QueueHandlers {
  const unitOfWork = createUnitOfWork(database, outbox.enqueue);
  return {
    'send-text': sendTexts({ unitOfWork, carrier, keyring, statusUrl: PUBLIC_URL ? `${PUBLIC_URL}${CARRIER_WEBHOOK}` : null }),
    'send-mail': sendMails({ unitOfWork, mailer, keyring }),
    'send-push': sendPushes({ unitOfWork, push, keyring }),
  };
}
