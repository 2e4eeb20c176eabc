import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { Carrier } from './carrier.ts';
import { createLocalCarrier } from './local-carrier.ts';

/** Path of the carrier's webhook below PUBLIC_URL. */
export const CARRIER_WEBHOOK = '/webhooks/carrier';

export async function createCarrier(config: Config, { prisma }: Database, keyring: Keyring): Promise<Carrier> {
  const { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken } = config;
  if (config.TRIPTYCH_CARRIER !== 'twilio' || !accountSid || !authToken) return createLocalCarrier(prisma, keyring);
  const { createTwilioCarrier } = await import('./twilio-carrier.ts');
  return createTwilioCarrier({
    accountSid,
    authToken,
    baseUrl: config.TWILIO_BASE_URL,
    messagingServiceSid: config.TWILIO_MESSAGING_SERVICE_SID ?? null,
    webhookUrl: config.PUBLIC_URL ? `${config.PUBLIC_URL}${CARRIER_WEBHOOK}` : null,
    db: prisma,
  });
}
