import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** A request of a tool to an operation of the mobile API. */
export interface ToolRequest {
  method: 'GET' | 'POST';
  path: string;
  query?: Record<string, string | number>;
  body?: object;
  /** Two requests with the same key are done once. */
  key?: string;
}

/** Sends it as whoever called the tool. @throws Refusal */
export type Ask = (request: ToolRequest) => Promise<unknown>;

/** The refusal of an operation or a tool, in words. */
export class Refusal extends Error {}

const Problem = z.object({ code: z.string(), detail: z.string() });
const Answer = z.object({ data: z.unknown() });

/**
 * Operations are asked through the server itself, with the token of the caller: scopes, limits, walls and audit are those of any other
 * request.
 */
export function askAs(app: FastifyInstance, { headers, ip, id }: FastifyRequest): Ask {
  return async ({ method, path, query, body, key }) => {
    const answer = await app.inject({
      method,
      url: path,
      remoteAddress: ip,
      headers: {
        authorization: headers.authorization ?? '',
        'x-request-id': id.length > 100 ? randomUUID() : id,
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(query ? { query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])) } : {}),
      ...(body ? { payload: body } : {}),
    });
    const said: unknown = JSON.parse(answer.body);
    if (answer.statusCode < 400) return Answer.parse(said).data;
    const problem = Problem.parse(said);
    throw new Refusal(`${problem.code}: ${problem.detail}`);
  };
}
