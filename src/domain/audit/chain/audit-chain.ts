import type { Pool } from 'pg';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { type OfPractices, readHorizon, rowsOfPracticesWithLogs } from '../../../database/logs/log-order.ts';
import { allPracticesComment } from '../../../database/statements/all-practices.ts';
import { createPrepared, type Prepared, statement } from '../../../database/statements/statement.ts';
import { AuditChainError, EVENTS_BETWEEN, type KeptHead, keepHead, readHead } from './chain-heads.ts';
import { BATCH, type ChainHead, ENTRIES_AFTER, type Entry, FIRST, linkHash, MOST_IN_LINK } from './chain-links.ts';
import { markEntries } from './link-marks.ts';

interface NewestLink {
  position: string;
  transactionId: string;
  auditEntryId: string;
  hash: Buffer;
}

const NEWEST_LINK = statement<NewestLink>(
  'audit_newest_link',
  `SELECT position::text, transaction_id::text AS "transactionId", audit_entry_id::text AS "auditEntryId", hash
     FROM audit_link l WHERE organization_id = $1::int ORDER BY l.position DESC LIMIT 1`,
);

/** Values: organization, key, and the links as arrays: position, last entry, its transaction, hash and marks in hexadecimal. */
const ADD_LINKS = statement<never>(
  'audit_add_links',
  `INSERT INTO audit_link (organization_id, position, audit_entry_id, transaction_id, key_id, hash, marks)
   SELECT $1::int, l.position, l.entry, l.transaction, $2::text, decode(l.hash, 'hex'), decode(l.marks, 'hex')
     FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[]) AS l (position, entry, transaction, hash, marks)`,
);

/** Organizations with unsealed entries: two index lookups each, however long the log is. */
export async function organizationsToSeal(pool: Pool): Promise<number[]> {
  const rows = await rowsOfPracticesWithLogs<{ id: number }>(pool, unsealedIn, [await readHorizon(createPrepared(pool))]);
  return rows.map(({ id }) => id);
}

const unsealedIn: OfPractices = (practices) => `
    SELECT o.id
      FROM ${practices} o
      LEFT JOIN LATERAL (
        SELECT transaction_id, audit_entry_id FROM audit_link l
         WHERE organization_id = o.id ORDER BY position DESC LIMIT 1
      ) AS head ON true
     CROSS JOIN LATERAL (
        SELECT 1 FROM audit_entry e
         WHERE organization_id = o.id
           AND (transaction_id, id) > (coalesce(head.transaction_id, 0), coalesce(head.audit_entry_id, 0))
           AND transaction_id < $1::bigint
         ORDER BY transaction_id, id
         LIMIT 1
      ) AS unsealed ${allPracticesComment('the sealer looks for what is unsealed')}`;

/**
 * Seals a batch of unsealed audit entries of one organization: some of them together get a link, whose hash covers them and the
 * previous link under a key that the database does not have. Only entries of transactions older than every running one are sealed, in
 * their order, so that a late commit is never skipped. The new head is kept in the same transaction. The caller holds the lock
 * of the chain.
 * @returns the new head, or null when there was nothing to seal
 * @throws AuditChainError where the chain does not end with the head that was kept: it is not continued then
 */
export async function sealOrganization(prepared: Prepared, keyring: Keyring, organizationId: number): Promise<ChainHead | null> {
  const [newest] = await prepared.rows(NEWEST_LINK, [organizationId]);
  const kept = await requireHead(prepared, keyring, organizationId, newest);
  const after = [newest?.transactionId ?? '0', newest?.auditEntryId ?? '0'];
  const entries = await prepared.rows(ENTRIES_AFTER, [organizationId, ...after, await readHorizon(prepared), BATCH]);
  const last = entries.at(-1);
  if (!last) return null;
  const links = linksOver(keyring, entries, { position: BigInt(newest?.position ?? 0), hash: newest?.hash ?? FIRST });
  const column = (read: (link: NewLink) => string) => links.map(read);
  await prepared.rows(ADD_LINKS, [
    ...[organizationId, keyring.currentId],
    ...[column(({ position }) => String(position)), column(({ last: { id } }) => id), column(({ last }) => last.transactionId)],
    ...[column(({ hash }) => hash.toString('hex')), column(({ marks }) => marks.toString('hex'))],
  ]);
  const { position, hash } = links.at(-1) ?? { position: 0n, hash: FIRST };
  const at = { position, auditEntryId: BigInt(last.id), transactionId: BigInt(last.transactionId), hash };
  const [between] = await prepared.rows(EVENTS_BETWEEN, [organizationId, String(kept?.transactionId ?? 0n), last.transactionId]);
  const events = (kept?.events ?? 0n) + BigInt(between?.events ?? 0);
  await keepHead(prepared, keyring, { organizationId, ...at, events, lostPosition: kept?.lostPosition ?? 0n }, { isFirst: kept === null });
  return { position, hash: hash.toString('base64url') };
}

interface NewLink {
  position: bigint;
  last: Entry;
  hash: Buffer;
  marks: Buffer;
}

/** @param newest the link that they follow */
function linksOver(keyring: Keyring, entries: readonly Entry[], newest: { position: bigint; hash: Buffer }): NewLink[] {
  const links: NewLink[] = [];
  let { position, hash: previous } = newest;
  for (let start = 0; start < entries.length; start += MOST_IN_LINK) {
    const sealed = entries.slice(start, start + MOST_IN_LINK);
    const last = sealed.at(-1);
    if (!last) break;
    position += BigInt(sealed.length);
    const marks = markEntries(keyring, sealed);
    const hash = linkHash(keyring, keyring.currentId, { previous, position, marks }, sealed);
    links.push({ position, last, hash, marks });
    previous = hash;
  }
  return links;
}

/** The kept head, which is the newest link. */
async function requireHead(
  prepared: Prepared,
  keyring: Keyring,
  organizationId: number,
  newest: NewestLink | undefined,
): Promise<KeptHead | null> {
  const head = await readHead(prepared, keyring, organizationId);
  const isSame = head ? BigInt(newest?.position ?? 0) === head.position && newest?.hash.equals(head.hash) === true : newest === undefined;
  if (isSame) return head;
  const kept = head ? `its stored head, link ${head.position}` : 'its stored head';
  throw new AuditChainError(`the chain ends with link ${newest?.position ?? 0} and not with ${kept}`);
}
