import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import { traceGateway } from '../tracing/spans.ts';
import type { Carrier } from './carrier/carrier.ts';
import { createCarrier } from './carrier/create-carrier.ts';
import { createLocalCarrier } from './carrier/local-carrier.ts';
import { createFiles } from './files/create-files.ts';
import type { Files } from './files/files.ts';
import { createMailer } from './mail/create-mailer.ts';
import { createLocalMailer } from './mail/local-mailer.ts';
import type { Mailer } from './mail/mailer.ts';
import { createOpenIdConnect, type OpenIdConnect } from './openid/openid-connect.ts';
import type { Push } from './push/push.ts';
import { createWebPush } from './push/web-push.ts';
import { createDomainRecords, type DomainRecords } from './requests/domain-records.ts';
import { createGuardedRequests, type GuardedRequests } from './requests/guarded-requests.ts';
import { createWebhookSender, type WebhookSender } from './requests/webhook-sender.ts';
import { createVideoRooms, type VideoRooms } from './video/video-rooms.ts';

export interface Senders {
  carrier: Carrier;
  mailer: Mailer;
}

export interface Gateways extends Senders {
  /** Those of practices for trying things out: nothing leaves the database. */
  local: Senders;
  files: Files;
  push: Push;
  /** Requests to addresses that somebody gave us. */
  guarded: GuardedRequests;
  domainRecords: DomainRecords;
  openIdConnect: OpenIdConnect;
  videoRooms: VideoRooms;
  webhooks: WebhookSender;
}

/** Creates each gateway as the configuration names it, and loads no library of the others. Opens no connection yet. */
export async function createGateways(config: Config, database: Database, keyring: Keyring): Promise<Gateways> {
  const guarded = createGuardedRequests({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES });
  return {
    carrier: traceGateway('carrier', await createCarrier(config, database, keyring)),
    mailer: traceGateway('mailer', await createMailer(config, database, keyring)),
    local: {
      carrier: traceGateway('carrier', createLocalCarrier(database.prisma, keyring)),
      mailer: traceGateway('mailer', createLocalMailer(database.prisma, keyring)),
    },
    files: traceGateway('files', await createFiles(config)),
    push: traceGateway('push', createWebPush(config, database, { keyring, guarded })),
    guarded: traceGateway('guarded', guarded),
    domainRecords: createDomainRecords(),
    openIdConnect: createOpenIdConnect(guarded),
    videoRooms: traceGateway('video', createVideoRooms(config)),
    webhooks: traceGateway('webhooks', createWebhookSender({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES })),
  };
}
