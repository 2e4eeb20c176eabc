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
    description: 'Id of the event, the same in every retry and replay. Process each id once.',
    schema: { type: 'string', pattern: String.raw`^evt_\d+$` },
  },
  'webhook-timestamp': {
    required: true,
    description: 'When this attempt was signed, in seconds since 1970. Reject a time more than five minutes off.',
    schema: { type: 'string', pattern: String.raw`^\d+$` },
  },
  'webhook-signature': {
    required: true,
    description:
      'Space-separated signatures of id, timestamp and body, joined by dots: `v1,` and HMAC-SHA256 in base64, one per valid secret; `v1a,` and Ed25519 if the endpoint asks for it. One valid signature is enough.',
    schema: { type: 'string' },
  },
  'webhook-sequence': {
    required: true,
    description: 'Number of the delivery: 1, 2, 3 for each endpoint, without gaps. Request missing numbers from the list of deliveries.',
    schema: { type: 'string', pattern: String.raw`^[1-9]\d*$` },
  },
};
