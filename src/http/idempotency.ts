import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Prepared, statement } from '../database/statement.ts';
import { recordReplay } from '../domain/audit/journal-entries.ts';
import type { Caller } from '../domain/caller.ts';
import { Failure, invalid } from '../domain/errors.ts';
import type { Answer } from './responses.ts';

/** The key of a POST, and what the request was. */
export interface Claim {
  key: string;
  /** Of the database, for whoever is the first. */
  lock: bigint;
  /** What makes two requests the same: method, address and body. */
  fingerprint: Buffer;
}

/** The claim of a request with an Idempotency-Key; null for all but POST. @throws Failure for a key that cannot be one */
export function claimOf(request: FastifyRequest): Claim | null {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters');
  const what = `${request.method} ${request.url}\n${JSON.stringify(request.body) ?? ''}`;
  const { organizationId, actor } = request.caller;
  const lock = createHash('sha256').update(`${organizationId} ${actor} ${key}`).digest().readBigInt64BE(0);
  return { key, lock, fingerprint: createHash('sha256').update(what).digest() };
}

/**
 * Does the work and keeps its answer under the key, in the transaction of both; or answers what was answered before.
 * A refused request leaves nothing, so its key may be used again.
 * @param prepared null where the write that keeps the answer sees to the key itself (writes/with-journal.ts)
 * @throws Failure conflict while the first is still running; unprocessable when it was another request
 */
export async function once(prepared: Prepared | null, caller: Caller, claim: Claim | null, work: () => Promise<Answer>): Promise<Answer> {
  if (claim === null) return work();
  const kept = prepared && (await claimKey(prepared, caller, claim));
  if (kept) return { ...kept, headers: { ...kept.headers, 'idempotent-replayed': 'true' } };
  const answer = await work();
  caller.journal.answer = { ...claim, ...answer, body: Buffer.from(answer.body) };
  return answer;
}

interface Standing {
  locked: boolean;
  fingerprint: Uint8Array | null;
  status: number;
  headers: unknown;
  body: Uint8Array;
  audits: unknown;
  expired: boolean;
}

/** Values: the lock of the key, organization, caller, key. */
const CLAIM_KEY = statement<Standing>(
  'claim_key',
  `SELECT pg_try_advisory_xact_lock($1::bigint) AS locked, r.fingerprint, r.status, r.headers, r.body, r.audits, r.expires_at < now() AS expired
     FROM (SELECT 1) AS one
     LEFT JOIN idempotency_record r ON r.organization_id = $2 AND r.caller = $3 AND r.key = $4`,
);

/** Values: organization, caller, key. */
const FORGET_EXPIRED = statement<never>(
  'forget_expired_key',
  'DELETE FROM idempotency_record WHERE organization_id = $1 AND caller = $2 AND key = $3 AND expires_at < now()',
);

const keptHeaders = z.record(z.string(), z.string());
const keptAudits = z.array(z.object({ resource: z.string(), ids: z.array(z.int()), patientIds: z.array(z.int()).exactOptional() }));

/**
 * Claims a key for this transaction, or answers what was answered before. The claim is a lock of the transaction, so a
 * server that dies lets it go. Two that slip in together meet at the primary key of the record; the second runs anew.
 */
async function claimKey(prepared: Prepared, caller: Caller, { key, lock, fingerprint }: Claim): Promise<Answer | null> {
  const { organizationId, actor } = caller;
  const [standing] = await prepared.rows(CLAIM_KEY, [lock, organizationId, actor, key]);
  if (standing?.fingerprint && !standing.expired) {
    if (!fingerprint.equals(standing.fingerprint)) {
      throw new Failure('unprocessable', 'idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    for (const shown of keptAudits.parse(standing.audits)) recordReplay(caller, shown);
    return { status: standing.status, headers: keptHeaders.parse(standing.headers), body: Buffer.from(standing.body).toString('utf8') };
  }
  if (!standing?.locked) {
    throw new Failure('conflict', 'idempotency_key_in_use', 'The first request with this Idempotency-Key is still running.', {
      retryAfter: 1,
    });
  }
  if (standing.expired) {
    // Not one that was stored between the statement above and this: that one the insert at the end will meet.
    await prepared.rows(FORGET_EXPIRED, [organizationId, actor, key]);
  }
  return null;
}
