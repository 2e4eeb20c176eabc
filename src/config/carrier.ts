import { z } from 'zod';
import { isOrigin, MESSAGING_SERVICE_SID } from './checks.ts';

/** Variables of the telephone carrier. */
export const CARRIER = {
  /** Carrier for texts and numbers: the local one, which sends nothing, or Twilio. */
  TRIPTYCH_CARRIER: z.enum(['local', 'twilio'], 'must be local or twilio').optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/i, 'must be an account SID: AC and 32 hexadecimal digits')
    .optional(),
  TWILIO_AUTH_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  /** The messaging service that numbers join, and by it the campaign by which carriers in the United States know their texts. */
  TWILIO_MESSAGING_SERVICE_SID: z
    .string()
    .regex(MESSAGING_SERVICE_SID, 'must be the SID of a messaging service: MG and 32 hexadecimal digits')
    .optional(),
  /** Replaces https://api.twilio.com and https://messaging.twilio.com. */
  TWILIO_BASE_URL: z.string().refine(isOrigin, 'must be an origin such as https://api.twilio.com').optional(),
};
