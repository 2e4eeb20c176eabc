import type { z } from 'zod';

/** A message that the server posts to addresses of others, for the section `webhooks` of the document. */
export interface DocumentedWebhook {
  /** `patient.registered`: the member of the section. */
  name: string;
  /** Its name for generated code, unique among all operations. */
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  /** The shape of the body, with a name of its own. */
  shape: z.ZodType;
  example: unknown;
}

/** Headers of every message (Standard Webhooks 1.0, and the sequence). */
export const WEBHOOK_HEADERS: Readonly<Record<string, Record<string, unknown>>> = {
  'webhook-id': {
    required: true,
    description: 'Id of the event, the same on every retry and replay: act on each id once.',
    schema: { type: 'string', pattern: String.raw`^evt_\d+$` },
  },
  'webhook-timestamp': {
    required: true,
    description: 'When this attempt was signed, in seconds since 1970. Refuse one that is more than five minutes away.',
    schema: { type: 'string', pattern: String.raw`^\d+$` },
  },
  'webhook-signature': {
    required: true,
    description:
      'Signatures over id, timestamp and body, joined by dots, with spaces between them: `v1,` HMAC-SHA256 in base64, one for each valid secret; `v1a,` Ed25519 where the endpoint asks for it. One valid signature is enough.',
    schema: { type: 'string' },
  },
  'webhook-sequence': {
    required: true,
    description: 'Number of the delivery: 1, 2, 3 for each endpoint, without gaps. A number that is missing can be asked for.',
    schema: { type: 'string', pattern: String.raw`^[1-9]\d*$` },
  },
};
