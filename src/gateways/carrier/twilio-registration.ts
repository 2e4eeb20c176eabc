import twilio from 'twilio';
import type { CarrierNumber, Registration } from './carrier.ts';

type Client = InstanceType<typeof twilio.Twilio>;

/** Services that are looked through for a number. */
const MOST_SERVICES = 50;

/** A number is in the service already. */
const IN_SERVICE = 21710;

/** Area codes whose calls cost the caller nothing. */
const TOLL_FREE = /^\+18(?:00|33|44|55|66|77|88)/;
export const isTollFree = (number: string): boolean => TOLL_FREE.test(number);

/** Toll-free verifications and campaigns by their status; another one is that of none. */
const VERIFICATIONS: Record<string, Registration> = {
  TWILIO_APPROVED: 'registered',
  IN_REVIEW: 'pending',
  PENDING_REVIEW: 'pending',
};
const CAMPAIGNS: Record<string, Registration> = { VERIFIED: 'registered', IN_PROGRESS: 'pending', PENDING: 'pending' };

/**
 * Whether carriers of the United States take texts from a number: a toll-free one that was verified, and any other in a messaging service
 * with a campaign. A number that is in no service joins the one that is given.
 */
export async function findTwilioRegistration(client: Client, { id, number, serviceId }: CarrierNumber): Promise<Registration> {
  if (isTollFree(number)) {
    const found = await client.messaging.v1.tollfreeVerifications.list({ tollfreePhoneNumberSid: id, limit: 20 });
    return findBest(found.map(({ status }) => VERIFICATIONS[status]));
  }
  const service = await findService(client, id, serviceId);
  if (service === null) return 'unregistered';
  const campaigns = await client.messaging.v1.services(service).usAppToPerson.list({ limit: 20 });
  return findBest(campaigns.map(({ campaignStatus }) => CAMPAIGNS[campaignStatus]));
}

const findBest = (found: readonly (Registration | undefined)[]): Registration =>
  (['registered', 'pending'] as const).find((one) => found.includes(one)) ?? 'unregistered';

/** The messaging service of a number, else the given one, which it joins; null for none. */
async function findService(client: Client, id: string, serviceId: string | null): Promise<string | null> {
  if (serviceId !== null && (await isIn(client, serviceId, id))) return serviceId;
  for (const { sid } of await client.messaging.v1.services.list({ limit: MOST_SERVICES }))
    if (sid !== serviceId && (await isIn(client, sid, id))) return sid;
  if (serviceId === null) return null;
  await client.messaging.v1
    .services(serviceId)
    .phoneNumbers.create({ phoneNumberSid: id })
    .catch((error: unknown) => {
      if (!(error instanceof twilio.RestException && error.code === IN_SERVICE)) throw error;
    });
  return serviceId;
}

async function isIn(client: Client, serviceId: string, id: string): Promise<boolean> {
  try {
    await client.messaging.v1.services(serviceId).phoneNumbers(id).fetch();
    return true;
  } catch (error) {
    if (error instanceof twilio.RestException && error.status === 404) return false;
    throw error;
  }
}

/**
 * Whether what people text to the numbers of a service comes to the numbers' own address, as this server needs it; a service may take it
 * for itself.
 */
export async function leavesAnswersToNumbers(client: Client, serviceId: string): Promise<boolean> {
  return (await client.messaging.v1.services(serviceId).fetch()).useInboundWebhookOnNumber;
}
