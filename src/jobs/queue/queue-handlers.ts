import type { Config } from '../../config/config.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { UnitOfWork } from '../../domain/unit-of-work/unit-of-work.ts';
import { CARRIER_WEBHOOK } from '../../gateways/carrier/create-carrier.ts';
import type { Gateways, Senders } from '../../gateways/gateways.ts';
import { sendMails } from '../sending/send-mails.ts';
import { sendPushes } from '../sending/send-push.ts';
import { sendTexts } from '../sending/send-texts.ts';
import type { QueueHandler, QueueHandlers } from './queue.ts';

interface HandlerDeps {
  config: Pick<Config, 'PUBLIC_URL'>;
  unitOfWork: UnitOfWork;
  keyring: Keyring;
  gateways: Pick<Gateways, 'push'>;
  findSenders(organizationId: number): Promise<Senders>;
}

export function createQueueHandlers({
  config: { PUBLIC_URL },
  unitOfWork,
  keyring,
  gateways: { push },
  findSenders,
}: HandlerDeps): QueueHandlers {
  const statusUrl = PUBLIC_URL ? `${PUBLIC_URL}${CARRIER_WEBHOOK}` : null;
  const byPractice = (handler: (senders: Senders) => QueueHandler): QueueHandler => ({
    run: async (organizationId, id) => handler(await findSenders(organizationId)).run(organizationId, id),
    giveUp: async (organizationId, id) => handler(await findSenders(organizationId)).giveUp(organizationId, id),
  });
  return {
    'send-text': byPractice(({ carrier }) => sendTexts({ unitOfWork, carrier, keyring, statusUrl })),
    'send-mail': byPractice(({ mailer }) => sendMails({ unitOfWork, mailer, keyring })),
    'send-push': sendPushes({ unitOfWork, push, keyring }),
  };
}
