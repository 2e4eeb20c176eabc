import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { preparedIn } from '../database/statement.ts';
import { mapPlan, unchanged } from '../domain/unit-of-work/optimistic-write.ts';
import type { OptimisticEndpoint, RunDeps, WriteEndpoint, WriteInput } from './endpoint-types.ts';
import { entityTag, requireMatch } from './etag.ts';
import { claimKey, keyClaimOf, storeUnderKey } from './idempotency.ts';
import { nameIgnored } from './ignored-fields.ts';
import { readParts } from './input-parts.ts';
import { checkedJson, type HttpResponse, send } from './responses.ts';

/** A write whose handler takes `X` beside the input of every write. */
interface ExtendedWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, X>
  extends Omit<WriteEndpoint<P, Q, B, A>, 'handle'> {
  handle: (input: WriteInput<P, Q, B> & X) => Promise<z.input<A>>;
}

/**
 * Responds to a write: one transaction with its rows, its journal and the response stored under an Idempotency-Key.
 * @param extra the result of a stage before the transaction
 */
export async function runWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, X extends object>(
  { unitOfWork, checkResponses }: RunDeps,
  endpoint: ExtendedWrite<P, Q, B, A, X>,
  request: FastifyRequest,
  reply: FastifyReply,
  extra: X,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const trial = endpoint.trial?.isAsked(parts) ? endpoint.trial : undefined;
  const claim = trial || endpoint.neverStored ? null : keyClaimOf(request);
  const ifMatch = endpoint.current ? request.headers['if-match'] : undefined;
  const response = await unitOfWork.write(
    request.caller,
    async (db, caller) => {
      const stored = claim && (await claimKey(preparedIn(db), caller, claim));
      if (stored) return stored;
      const input = { ...parts, db, caller, headers: {}, ...extra };
      if (ifMatch !== undefined && endpoint.current) requireMatch(ifMatch, await endpoint.current(input));
      if (trial) {
        const preview = checkedJson(trial.response, await trial.handle(input), checkResponses);
        nameIgnored(reply, caller.journal.warnings);
        return responseOf({}, reply, preview, input.headers);
      }
      const wire = await endpoint.handle(input);
      const body = checkedJson(endpoint.response, wire, checkResponses);
      nameIgnored(reply, caller.journal.warnings);
      const response = responseOf(endpoint, reply, body, input.headers);
      return storeUnderKey(caller, claim, endpoint.isNothingNew?.(wire) ? { ...response, status: 200 } : response);
    },
    { repeatable: ifMatch !== undefined, signal: request.deadline.signal },
  );
  send(reply, response);
}

/** As runWrite, for a write that is tried with one statement first. */
export async function runOptimistic<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  { unitOfWork, checkResponses }: RunDeps,
  endpoint: OptimisticEndpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const claim = endpoint.isTrial?.(parts) ? null : keyClaimOf(request);
  const ifMatch = endpoint.current ? request.headers['if-match'] : undefined;
  const json = (wire: z.input<A>) => checkedJson(endpoint.response, wire, checkResponses);
  const response = await unitOfWork.write<HttpResponse>(
    request.caller,
    {
      async plan(context, caller) {
        const input = { ...parts, headers: {} };
        const plan = await endpoint.optimistic(input).plan(context, caller);
        return plan && mapPlan(plan, (wire) => storeUnderKey(caller, claim, responseOf(endpoint, reply, json(wire), input.headers)));
      },
      async check(tx, caller) {
        const stored = claim && (await claimKey(tx, caller, claim));
        if (stored) return unchanged(stored);
        const input = { ...parts, tx, caller, headers: {} };
        if (ifMatch !== undefined && endpoint.current) requireMatch(ifMatch, await endpoint.current(input));
        const plan = await endpoint.optimistic(input).check(tx, caller);
        return mapPlan(plan, (wire) => storeUnderKey(caller, claim, responseOf(endpoint, reply, json(wire), input.headers)));
      },
    },
    { repeatable: ifMatch !== undefined, signal: request.deadline.signal },
  );
  send(reply, response);
}

/** The response with the headers that are stored with it. */
function responseOf(
  { status = 200, etag }: Pick<WriteEndpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType>, 'status' | 'etag'>,
  reply: FastifyReply,
  body: string,
  headers: Record<string, string>,
): HttpResponse {
  const warning = reply.getHeader('warning-fields');
  return {
    status,
    headers: {
      ...(etag ? { etag: entityTag(body) } : {}),
      ...(typeof warning === 'string' ? { 'warning-fields': warning } : {}),
      ...headers,
    },
    body,
  };
}
