import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { traceGateway } from '../tracing/spans.ts';
import type { Carrier } from './carrier.ts';
import { createCarrier } from './create-carrier.ts';
import { createFiles } from './create-files.ts';
import { createMailer } from './create-mailer.ts';
import type { Files } from './files.ts';
import { createGuardedRequests, type GuardedRequests } from './guarded-requests.ts';
import type { Mailer } from './mailer.ts';
import { createOpenIdConnect, type OpenIdConnect } from './openid-connect.ts';
import type { Push } from './push.ts';
import { createVideoRooms, type VideoRooms } from './video-rooms.ts';
import { createWebPush } from './web-push.ts';
import { createWebhookSender, type WebhookSender } from './webhook-sender.ts';

/** Clients of all external services. */
export interface Gateways {
  carrier: Carrier;
  mailer: Mailer;
  files: Files;
  push: Push;
  /** Requests to addresses that somebody gave us. */
  guarded: GuardedRequests;
  openIdConnect: OpenIdConnect;
  videoRooms: VideoRooms;
  webhooks: WebhookSender;
}

/** Creates each gateway as the configuration names it. Opens no connection yet. */
export function createGateways(config: Config, database: Database, keyring: Keyring): Gateways {
  const guarded = createGuardedRequests({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES });
  return {
    carrier: traceGateway('carrier', createCarrier(config, database, keyring)),
    mailer: traceGateway('mailer', createMailer(config, database, keyring)),
    files: traceGateway('files', createFiles(config)),
    push: traceGateway('push', createWebPush(config, database, { keyring, guarded })),
    guarded: traceGateway('guarded', guarded),
    openIdConnect: createOpenIdConnect(guarded),
    videoRooms: traceGateway('video', createVideoRooms(config)),
    webhooks: traceGateway('webhooks', createWebhookSender({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES })),
  };
}
