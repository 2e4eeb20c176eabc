import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireStepUp } from '../../auth/step-up.ts';
import { type Cell, writeCsv } from '../../wire/csv.ts';
import type { CustomEndpoint, None, ReadEndpoint, ReadInput } from '../endpoint-types.ts';
import { attachmentNamed } from './downloads.ts';
import { readParts } from './input-parts.ts';
import { runRead } from './run-read.ts';

export const CSV = 'text/csv';
const CSV_NEEDS = 'CSV requires a sign-in or POST /user/step-up within 15 minutes, otherwise 401 `step_up_required`.';

/** The query parameter for the format of a table; the Accept header is the alternative. */
export const FORMAT = {
  format: z.enum(['json', 'csv']).optional().describe('json or csv; by default CSV if Accept prefers text/csv, otherwise JSON'),
};

interface TableEndpoint<Q extends z.ZodType, A extends z.ZodType>
  extends Omit<ReadEndpoint<None, Q, None, A>, 'scope' | 'roles' | 'params' | 'etag'> {
  query: Q;
  /** The whole table; its first row has the names of the columns. */
  table: (input: ReadInput<None, Q, None>) => Promise<{ fileName: string; rows: Cell[][] }>;
}

/** A GET that responds with one page as JSON, or with the whole table as CSV. */
export function table<Q extends z.ZodType, A extends z.ZodType>(endpoint: TableEndpoint<Q, A>): CustomEndpoint {
  const { operationId, summary, description, tag, beyondDocument = false, query, response } = endpoint;
  return {
    operationId,
    summary,
    description: [description, CSV_NEEDS].join(' ').trim(),
    tag,
    beyondDocument,
    query,
    response,
    produces: ['application/json', CSV],
    async respond(deps, request, reply) {
      if (!wantsCsv(request)) return runRead(deps, endpoint, request, reply);
      const parts = readParts<None, Q, None>(endpoint, request, reply);
      const { fileName, rows } = await deps.unitOfWork.read(request.caller, async (tx) => {
        await requireStepUp(tx);
        return endpoint.table({ ...parts, tx });
      });
      if (reply.sent) return;
      reply.type(`${CSV}; charset=utf-8`).header('content-disposition', attachmentNamed(fileName)).send(writeCsv(rows));
    },
  };
}

const formatted = z.object({ format: z.string() });

/** Whether a request asks for CSV, by its parameter `format` or by Accept. */
export function wantsCsv({ query, headers }: FastifyRequest): boolean {
  const requested = formatted.safeParse(query).data?.format || undefined;
  const accepted = headers.accept ?? '';
  return requested === undefined ? accepted.includes(CSV) && !accepted.includes('application/json') : requested === 'csv';
}

const SVG = 'image/svg+xml';
/** A picture that is opened by itself may use the style sheet in it, and loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

interface SvgEndpoint<P extends z.ZodType, Q extends z.ZodType>
  extends Omit<ReadEndpoint<P, Q, None, None>, 'scope' | 'roles' | 'handle' | 'response' | 'etag'> {
  params: P;
  query: Q;
  /** @returns the picture */
  draw: (input: ReadInput<P, Q, None>) => Promise<string>;
}

/** A GET that responds with a picture in SVG. */
export function picture<P extends z.ZodType, Q extends z.ZodType>(endpoint: SvgEndpoint<P, Q>): CustomEndpoint {
  const { draw, ...documented } = endpoint;
  return {
    ...documented,
    response: z.string(),
    produces: [SVG],
    async respond({ unitOfWork }, request, reply) {
      const parts = readParts<P, Q, None>(endpoint, request, reply);
      const drawing = await unitOfWork.read(request.caller, (tx) => draw({ ...parts, tx }));
      if (reply.sent) return;
      reply.type(`${SVG}; charset=utf-8`).header('content-security-policy', POLICY).send(drawing);
    },
  };
}
