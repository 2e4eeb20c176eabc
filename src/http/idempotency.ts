import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Db } from '../database.ts';
import type { Caller } from '../domain/caller.ts';
import { conflict, Failure, invalid } from '../domain/errors.ts';
import type { KeptAnswer } from '../domain/journal.ts';

/** The key of a POST, or null. @throws Failure when it is longer than 255 characters or not printable ASCII */
export function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters');
  return key;
}

/** What makes two requests the same: method, address and body as sent. */
export function fingerprint(request: FastifyRequest, body: unknown): Buffer {
  return createHash('sha256').update(`${request.method} ${request.url}\n${JSON.stringify(body) ?? ''}`).digest();
}

interface Standing {
  locked: boolean;
  fingerprint: Uint8Array | null;
  status: number | null;
  headers: unknown;
  body: Uint8Array | null;
  expired: boolean | null;
}

/**
 * Claims a key for this transaction, or answers what was answered before. The claim is a lock of the transaction, so a
 * server that dies lets it go. Two that slip in together meet at the primary key of the record; the second runs anew.
 * @throws Failure conflict while the first is still running; unprocessable when it was another request
 */
export async function claimKey(tx: Db, caller: Caller, key: string, print: Buffer): Promise<KeptAnswer | null> {
  const { organizationId, actor } = caller;
  const lock = createHash('sha256').update(`${organizationId} ${actor} ${key}`).digest().readBigInt64BE(0);
  const rows = await tx.$queryRaw<Standing[]>`
    SELECT pg_try_advisory_xact_lock(${lock}::bigint) AS locked, r.fingerprint, r.status, r.headers, r.body, r.expires_at < now() AS expired
      FROM (SELECT 1) AS one
      LEFT JOIN idempotency_record r ON r.organization_id = ${organizationId} AND r.caller = ${actor} AND r.key = ${key}`;
  const [standing] = rows;
  if (standing?.expired) {
    await tx.idempotencyRecord.deleteMany({ where: { organizationId, caller: actor, key } });
    return null;
  }
  if (standing?.fingerprint && standing.body && standing.status !== null) {
    if (!print.equals(standing.fingerprint)) {
      throw new Failure('unprocessable', 'idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    const headers = z.record(z.string(), z.string()).parse(standing.headers);
    return { key, fingerprint: print, status: standing.status, headers, body: Buffer.from(standing.body) };
  }
  if (!standing?.locked) throw conflict('idempotency_key_in_use', 'The first request with this Idempotency-Key is still running.');
  return null;
}
