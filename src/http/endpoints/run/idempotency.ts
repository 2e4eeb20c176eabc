import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { statement } from '../../../database/statements/statement.ts';
import { recordReplay, type ShownRecords } from '../../../domain/audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../../domain/caller.ts';
import { Failure, invalid, notFound } from '../../../domain/errors.ts';
import { isAnyWithheld } from '../../../domain/patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../../domain/tx.ts';
import type { UnitOfWork } from '../../../domain/unit-of-work/unit-of-work.ts';
import type { HttpResponse } from './responses.ts';

/** The idempotency key of a POST, and a fingerprint of the request. */
export interface KeyClaim {
  key: string;
  /** Key of the database's advisory lock, which the first request takes. */
  lock: bigint;
  /** MAC of method, address and body, which a plain hash would let be guessed: two requests with the same one are the same. */
  fingerprint: Buffer;
  /** Whether a stored one is of this request, by whichever master key. */
  isSame(stored: Uint8Array): boolean;
  /** The response holds a secret, and is not stored: a repeated request is refused. */
  once: boolean;
}

/** The claim of a POST with an Idempotency-Key; null for other requests. @throws Failure invalid for a malformed key */
export function readKeyClaim(request: FastifyRequest, keyring: Keyring): KeyClaim | null {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable characters');
  // As it was sent: a request for a chart that was merged runs a second time, for another chart.
  request.claimed ??= `${request.method} ${request.url}\n${JSON.stringify(request.body) ?? ''}`;
  const { claimed } = request;
  const macUnder = (id: string) => keyring.mac('idempotency', claimed, id);
  const isSame = (stored: Uint8Array) => keyring.ids.some((id) => macUnder(id).equals(stored));
  const { organizationId, actor } = request.caller;
  const lock = createHash('sha256').update(`${organizationId} ${actor} ${key}`).digest().readBigInt64BE(0);
  const once = request.routeOptions.config.keyed === 'once';
  return { key, lock, once, fingerprint: macUnder(keyring.currentId), isSame };
}

/** Stores a response under the key of its request, with the rest of the journal. @returns the response */
export function storeUnderKey(caller: Caller, claim: KeyClaim | null, response: HttpResponse): HttpResponse {
  if (claim) caller.journal.storedResponse = { ...claim, ...response, body: Buffer.from(claim.once ? '' : response.body) };
  return response;
}

interface StoredKey {
  locked: boolean;
  fingerprint: Uint8Array | null;
  status: number;
  headers: unknown;
  body: Uint8Array;
  audits: unknown;
  expired: boolean;
}

/** Values: the lock of the key, organization, caller, key. */
const CLAIM_KEY = statement<StoredKey>(
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

const storedHeaders = z.record(z.string(), z.string());
const storedAudits = z.array(z.object({ resource: z.string(), ids: z.array(z.int()), patientIds: z.array(z.int()).exactOptional() }));

/** Thrown in place of a write whose key has a stored response. */
class Replay extends Error {
  readonly response: HttpResponse;
  readonly shown: ShownRecords[];

  constructor(response: HttpResponse, shown: ShownRecords[]) {
    super('the request was answered before');
    this.response = response;
    this.shown = shown;
  }
}

/**
 * Claims a key for this transaction. The claim is a lock of the transaction, which ends with it, also where the server dies.
 * A second request with the key that comes meanwhile is refused; one that began before the first was committed, and claimed after it, fails at
 * the primary key of the record and runs again.
 * A refused request stores nothing, so its key may be used again.
 * @throws Replay with the response stored by an earlier request; Failure conflict while the first request is running; unprocessable where it was another request; conflict too where its response held a secret; not_found where the
 *   stored response shows a chart that was restricted since, as for any other request about it
 */
export async function claimKey(tx: Tx, { key, lock, isSame, once }: KeyClaim): Promise<void> {
  const { organizationId, actor } = tx;
  const [record] = await tx.prepared.rows(CLAIM_KEY, [lock, organizationId, actor, key]);
  if (record?.fingerprint && !record.expired) {
    if (!isSame(record.fingerprint)) {
      throw new Failure('unprocessable', 'idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    const audits = storedAudits.parse(record.audits);
    if (once) throw spent(audits);
    await requireVisibleCharts(tx, audits);
    const headers = { ...storedHeaders.parse(record.headers), 'idempotent-replayed': 'true' };
    throw new Replay({ status: record.status, headers, body: Buffer.from(record.body).toString('utf8') }, audits);
  }
  if (!record?.locked) {
    throw new Failure('conflict', 'idempotency_key_in_use', 'The first request with this Idempotency-Key is still running.', {
      retryAfter: 1,
    });
  }
  if (record.expired) {
    // A record stored since the statement above is kept: the insert at the end fails at it.
    await tx.rows(FORGET_EXPIRED, [actor, key]);
  }
}

/** The refusal of a repeated request whose first response held a secret: by it the caller finds what the first one made. */
function spent(made: ShownRecords[]): Failure {
  const names = made.map(({ resource, ids }) => `${resource} ${ids.join(', ')}`).join('; ');
  const message = `The first request with this Idempotency-Key succeeded (${names}). Its response contained a secret, which is shown only once.`;
  return new Failure('conflict', 'idempotency_key_spent', message);
}

/** The stored response behind a Replay, with its audit: the records that it shows are read again. @throws every other error */
export async function findStoredResponse(unitOfWork: UnitOfWork, identity: CallerIdentity, error: unknown): Promise<HttpResponse> {
  if (!(error instanceof Replay)) throw error;
  await unitOfWork.read(identity, async (tx) => {
    for (const records of error.shown) recordReplay(tx, records);
  });
  return error.response;
}

async function requireVisibleCharts(tx: Tx, audits: ShownRecords[]): Promise<void> {
  const patientIds = audits.flatMap(({ resource, ids, patientIds = [] }) =>
    resource === 'patient' ? [...ids, ...patientIds] : patientIds,
  );
  if (await isAnyWithheld(tx, patientIds)) throw notFound('patient');
}
