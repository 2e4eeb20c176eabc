import { z } from 'zod';
import { RequestShape } from '../../../http/wire/client-requests.ts';
import { one } from '../../../http/wire/envelopes.ts';
import { dateBound, integerBetween, longId, reading, text } from '../../../http/wire/wire-types.ts';

export const RequestResponse = one(RequestShape).meta({ id: 'ClientRequestResponse' });
export const RequestList = z
  .strictObject({
    data: z.array(RequestShape).describe('The requests of this page, newest first'),
    links: z.strictObject({ next: z.string().nullable().describe('Address of the older requests; null on the last page') }),
  })
  .meta({ id: 'ClientRequestList' });

/** A status such as 404, or a class such as 4xx. */
function readStatuses(written: string): readonly [number, number] | null {
  const [, first, rest] = /^([1-5])(\d\d|xx)$/i.exec(written) ?? [];
  if (first === undefined || rest === undefined) return null;
  const least = Number(first) * 100;
  return /^\d/.test(rest) ? [least + Number(rest), least + Number(rest)] : [least, least + 99];
}

export const requestsQuery = z.object({
  client: text(100)
    .optional()
    .describe('Only this client, by its client_id or its id in the practice. Clients see only their own requests'),
  operation: text(300).optional().describe('Only this operation, such as GET /platform/v1/events'),
  status: text(3)
    .transform(reading(readStatuses, 'must be a status such as 404, or a class such as 4xx'))
    .optional()
    .meta({ pattern: '^[1-5](\\d\\d|xx)$' })
    .describe('Only responses with this status, or of this class, such as 4xx'),
  code: text(100).optional().describe('Only failures with this code'),
  from: dateBound().optional().describe('Only from this day of the practice, or date and time, on'),
  until: dateBound().optional().describe('Until this day (inclusive), or date and time'),
  before: longId().optional().describe('Only requests older than this one; set in the link to the next page'),
  limit: integerBetween(1, 1_000).default(100).describe('Requests per page'),
});

export const requestParams = z.object({
  request_id: text(128)
    .regex(/^[A-Za-z0-9._-]+$/, 'must be an X-Request-Id')
    .describe('X-Request-Id of the response'),
});
