import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../database/database.ts';
import { type Prepared, preparedIn } from '../database/statement.ts';
import type { Caller } from '../domain/caller.ts';
import type { DirectTransaction } from '../domain/unit-of-work/optimistic-write.ts';
import type { UnitOfWork, WriteOptions } from '../domain/unit-of-work/unit-of-work.ts';
import type { DirectEndpoint, Endpoint, LookupEndpoint, None, Parts, ReadEndpoint } from './endpoint-types.ts';
import { entityTag, requireMatch } from './etag.ts';
import { claimOf, once } from './idempotency.ts';
import { nameIgnoredFields, readInput } from './input.ts';
import { type Answer, checkedJson, send, sendIfChanged } from './responses.ts';

export interface RunDeps {
  unitOfWork: UnitOfWork;
  /** Hold every answer against its declared shape; off in production, where the typed mappers are trusted. */
  checkResponses: boolean;
}

const NONE: None = z.object({});

/** Reads the parts of a request, and names the body fields that nobody asked for. */
export function readParts<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  endpoint: Pick<Endpoint<P, Q, B, A>, 'params' | 'query' | 'body' | 'bodyOptional' | 'ignored'>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const body = endpoint.bodyOptional && request.body === undefined ? {} : request.body;
  const read = {
    params: readInput(endpoint.params ?? NONE, request.params),
    query: readInput(endpoint.query ?? NONE, request.query),
    body: endpoint.body ? readInput(endpoint.body, body) : {},
    request,
  };
  // biome-ignore lint/nursery/noUnsafeTypeAssertion: the one cast of the edge; a part that an endpoint does not have is of the empty shape, which TypeScript cannot follow
  const parts = read as Parts<P, Q, B>;
  if (endpoint.body) nameIgnoredFields(endpoint.body, body, reply, endpoint.ignored?.(parts.body));
  return parts;
}

/** Answers a GET or HEAD. */
export async function respondToRead<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: RunDeps,
  endpoint: ReadEndpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  // Written while the audit is still to be stored: what the rows of a long list were made of is not kept for that long.
  const body = await deps.unitOfWork.read(request.caller, async (db, caller, prepared) =>
    checkedJson(endpoint.response, await endpoint.handle({ ...parts, db, caller, prepared }), deps.checkResponses),
  );
  if (endpoint.tagged) sendIfChanged(request, reply, body);
  else send(reply, { status: 200, headers: {}, body });
}

/** Answers a POST, PUT or DELETE: one transaction with all that it leaves behind. */
export const respondToWrite = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: RunDeps,
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> =>
  answerOnce<P, Q, B, A, { db: Db; caller: Caller }>(deps, endpoint, request, reply, (job, options) =>
    deps.unitOfWork.write(request.caller, (db, caller) => job(preparedIn(db), { db, caller }), options),
  );

/** As respondToWrite, past Prisma. */
export const respondToDirectWrite = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  deps: RunDeps,
  endpoint: DirectEndpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> =>
  answerOnce<P, Q, B, A, { tx: DirectTransaction; caller: Caller }>(deps, endpoint, request, reply, (job, options) =>
    deps.unitOfWork.writeDirectly(request.caller, (tx, caller) => job(tx.careful ? tx : null, { tx, caller }), options),
  );

/** A write whose handler reaches the database by `R`. */
interface Write<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, R>
  extends Omit<Endpoint<P, Q, B, A>, 'current' | 'handle'> {
  current?: (input: Parts<P, Q, B> & R) => Promise<z.input<A>>;
  handle: (input: Parts<P, Q, B> & R & { headers: Record<string, string> }) => Promise<z.input<A>>;
}

type InTransaction<R> = (job: (prepared: Prepared | null, reach: R) => Promise<Answer>, options: WriteOptions) => Promise<Answer>;

async function answerOnce<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, R extends { caller: Caller }>(
  { checkResponses }: RunDeps,
  endpoint: Write<P, Q, B, A, R>,
  request: FastifyRequest,
  reply: FastifyReply,
  inTransaction: InTransaction<R>,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  const claim = claimOf(request);
  const ifMatch = endpoint.current ? request.headers['if-match'] : undefined;
  const answer = await inTransaction(
    (prepared, reach) =>
      once(prepared, reach.caller, claim, async () => {
        const input = { ...parts, ...reach, headers: {} };
        if (ifMatch !== undefined && endpoint.current) {
          requireMatch(ifMatch, entityTag(checkedJson(endpoint.response, await endpoint.current(input), false)));
        }
        const body = checkedJson(endpoint.response, await endpoint.handle(input), checkResponses);
        return { status: endpoint.status ?? 200, headers: { ...answerHeaders(endpoint, reply, body), ...input.headers }, body };
      }),
    { repeatable: ifMatch !== undefined, signal: request.deadline.signal },
  );
  send(reply, answer);
}

/** Asks what must be asked outside of the transaction, then answers as any other write does. */
export async function respondAfterLookup<B extends z.ZodType, A extends z.ZodType, H>(
  deps: RunDeps,
  endpoint: LookupEndpoint<B, A, H>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { body } = readParts<None, None, B, A>(endpoint, request, reply);
  const lookupResult = await endpoint.lookup({ body });
  const write: Endpoint<None, None, B, A> = { ...endpoint, handle: (input) => endpoint.handle({ ...input, lookupResult }) };
  await respondToWrite(deps, write, request, reply);
}

/** Headers that belong to the answer itself, and are kept with it. */
function answerHeaders({ tagged }: { tagged?: boolean }, reply: FastifyReply, body: string): Record<string, string> {
  const warning = reply.getHeader('warning-fields');
  return { ...(tagged ? { etag: entityTag(body) } : {}), ...(typeof warning === 'string' ? { 'warning-fields': warning } : {}) };
}
