import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { unrecorded } from '../../../domain/tx.ts';
import { warningHeaders } from '../../input/ignored-fields.ts';
import type { LookupEndpoint, RunDeps, WriteEndpoint, WriteInput } from '../endpoint-types.ts';
import { claimKey, findStoredResponse, readKeyClaim, storeUnderKey } from './idempotency.ts';
import { readParts } from './input-parts.ts';
import { checkedJson, type HttpResponse, recordTag, requireMatch, send } from './responses.ts';

/** A write whose handler takes `X` beside the input of every write. */
interface ExtendedWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, X>
  extends Omit<WriteEndpoint<P, Q, B, A>, 'handle' | 'lookup'> {
  handle: (input: WriteInput<P, Q, B> & X) => Promise<z.input<A>>;
}

/**
 * Responds to a write: one transaction with its rows, its journal and the response stored under an Idempotency-Key. BEGIN and the claim of the
 * key leave with the handler's first statement; then come its rows, the reactions to its events (services.ts), and events, audit rows and the
 * response in one message with COMMIT. A key that is known gets its stored response, another body 422, a write under way 409. Refusals store
 * nothing.
 * @param extra the result of a stage before the transaction
 */
export async function runWrite<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, X extends object>(
  { unitOfWork, keyring, checkResponses }: RunDeps,
  endpoint: ExtendedWrite<P, Q, B, A, X>,
  request: FastifyRequest,
  reply: FastifyReply,
  extra: X,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const trial = endpoint.trial?.isAsked(parts) ? endpoint.trial : undefined;
  const claim = trial || endpoint.keyed === 'never' ? null : readKeyClaim(request, keyring);
  const ifMatch = endpoint.current ? request.headers['if-match'] : undefined;
  const writing = unitOfWork.write(
    request.caller,
    async (tx) => {
      const input = { ...parts, tx, headers: {}, ...extra };
      // Shown to nobody, so that no read is recorded.
      if (ifMatch !== undefined && endpoint.current) requireMatch(ifMatch, await endpoint.current({ ...input, tx: unrecorded(tx) }));
      if (trial) {
        const preview = checkedJson(trial.response, await trial.handle(input), checkResponses);
        return toResponse({}, preview, { ...warningHeaders(reply, tx.journal), ...input.headers });
      }
      const wire = await endpoint.handle(input);
      const body = checkedJson(endpoint.response, wire, checkResponses);
      const response = toResponse({ status: endpoint.status, etag: endpoint.etag ? recordTag(wire, body) : undefined }, body, {
        ...warningHeaders(reply, tx.journal),
        ...input.headers,
      });
      return storeUnderKey(tx, claim, endpoint.isNothingNew?.(wire) ? { ...response, status: 200 } : response);
    },
    {
      repeatable: ifMatch !== undefined,
      signal: request.deadline.signal,
      ...(claim ? { first: (tx) => claimKey(tx, claim) } : {}),
    },
  );
  send(reply, await writing.catch((error: unknown) => findStoredResponse(unitOfWork, request.caller, error)));
}

/** The same for a write whose lookup comes before the transaction. */
export async function runAfterLookup<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, L>(
  deps: RunDeps,
  endpoint: LookupEndpoint<P, Q, B, A, L>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const lookupResult = await endpoint.lookup(readParts(endpoint, request, reply));
  await runWrite(deps, endpoint, request, reply, { lookupResult });
}

/** The response with the headers that are stored with it. */
function toResponse(
  { status = 200, etag }: { status?: number | undefined; etag?: string | undefined },
  body: string,
  headers: Record<string, string>,
): HttpResponse {
  return { status, headers: { ...(etag === undefined ? {} : { etag }), ...headers }, body };
}
