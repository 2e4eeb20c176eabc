import { z } from 'zod';
import type { StoredRequest } from '../../domain/identity/clients/client-requests.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import { instant } from './wire-types.ts';

/** A request of an API client, as the platform API and the command line show it. */
export const RequestShape = z
  .strictObject({
    at: instant().describe('When it arrived'),
    request_id: z.string().describe('X-Request-Id of its response'),
    client_id: z.string().describe('Public client_id of the client, or of the app that a person used'),
    operation: z.string().describe('METHOD /path/template'),
    status: z.int().describe('HTTP status of the response'),
    code: z.string().nullable().describe('Error code; null for a success'),
    fields: z.array(z.string()).describe('Fields that the error names'),
    warning_fields: z.array(z.string()).describe('Fields that were ignored, as in Warning-Fields; never their values'),
    latency_ms: z.number().describe('Milliseconds from its arrival to the end of its response'),
  })
  .meta({ id: 'ClientRequest' });

export const fromRequest = (request: StoredRequest): z.input<typeof RequestShape> => ({
  at: writeInstant(request.at),
  request_id: request.requestId,
  client_id: request.clientId,
  operation: request.operation,
  status: request.status,
  code: request.code,
  fields: request.fields,
  warning_fields: request.warningFields,
  latency_ms: request.latencyMs,
});
