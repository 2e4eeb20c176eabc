import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { CARRIER_WEBHOOK } from '../../gateways/carrier/create-carrier.ts';
import type { Gateways } from '../../gateways/gateways.ts';
import { sendMails } from '../sending/send-mails.ts';
import { sendPushes } from '../sending/send-push.ts';
import { sendTexts } from '../sending/send-texts.ts';
import type { QueueHandlers } from './queue.ts';

interface HandlerDeps {
  config: Pick<Config, 'PUBLIC_URL'>;
  unitOfWork: UnitOfWork;
  keyring: Keyring;
  gateways: Pick<Gateways, 'carrier' | 'mailer' | 'push'>;
}

/** The handlers of the queue's jobs. */
export function createQueueHandlers({ config: { PUBLIC_URL }, unitOfWork, keyring, gateways }: HandlerDeps): QueueHandlers {
  const { carrier, mailer, push } = gateways;
  return {
    'send-text': sendTexts({ unitOfWork, carrier, keyring, statusUrl: PUBLIC_URL ? `${PUBLIC_URL}${CARRIER_WEBHOOK}` : null }),
    'send-mail': sendMails({ unitOfWork, mailer, keyring }),
    'send-push': sendPushes({ unitOfWork, push, keyring }),
  };
}
