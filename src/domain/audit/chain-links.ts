import type { Keyring } from '../../database/keyring.ts';
import { statement } from '../../database/statement.ts';

const PURPOSE = 'audit-chain';

/** The hash before the first link. */
export const FIRST = Buffer.alloc(32);
/** Entries per statement when sealing or verifying. */
export const BATCH = 2_000;

/** The newest link of a chain. A copy outside of the database proves that no entries were cut off. */
export interface ChainHead {
  position: bigint;
  /** In base64url. */
  hash: string;
}

/** The key of an audit row in the order of the log. */
export interface EntryKey {
  transactionId: bigint;
  auditEntryId: bigint;
}

export const START: EntryKey = { transactionId: 0n, auditEntryId: 0n };

/**
 * The form of a link's hashed text: 1 in links from before heads were kept, which cover an instant to the millisecond; 2 in later
 * ones of one entry, which cover it to the microsecond; 3 in links of several entries, with their marks.
 */
export const LINK_FORM = 3;

/** The most entries of one link: with their marks its row is of a size that PostgreSQL keeps in one piece. */
export const MOST_IN_LINK = 128;

/**
 * An audit row in the form that is hashed: the database formats its instant and its numbers, and its ids, of which a list may
 * have thousands, as JSON.
 */
export interface Entry {
  organizationId: number;
  id: string;
  transactionId: string;
  /** To the microsecond, with the era. */
  at: string;
  actor: string;
  action: string;
  resource: string;
  resourceIds: string;
  patientIds: string | null;
  operation: string;
  requestId: string | null;
  address: string | null;
  detail: string | null;
}

/** Values: organization, the transaction and entry after which to begin, the horizon below which to stay or null, limit. */
export const ENTRIES_AFTER = statement<Entry>(
  'audit_entries_after',
  `SELECT organization_id AS "organizationId", id::text, transaction_id::text AS "transactionId",
          to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z" AD') AS at, actor, action, resource,
          array_to_json(resource_ids)::text AS "resourceIds", array_to_json(patient_ids)::text AS "patientIds", operation,
          request_id AS "requestId", address, detail
     FROM audit_record e
    WHERE organization_id = $1::int AND (e.transaction_id, e.id) > ($2::bigint, $3::bigint)
      AND ($4::bigint IS NULL OR e.transaction_id < $4::bigint)
    ORDER BY e.transaction_id, e.id
    LIMIT $5::int`,
);

/** The end of an instant that an entry of the first form has: whole milliseconds, of our era. */
const WHOLE_MILLISECONDS = '000Z AD';

/** A link's place in its chain, the form of its text, and the marks of its entries, which form 3 has. */
interface LinkPlace {
  form: number;
  previous: Buffer;
  /** Of its last entry. */
  position: bigint;
  marks: Buffer | null;
}

/** The hash of a link: its text, under a key that the database does not have. @throws KeyringError without the master key */
export const linkHash = (keyring: Keyring, { keyId, ...place }: LinkPlace & { keyId: string }, entries: readonly Entry[]): Buffer =>
  keyring.mac(PURPOSE, linkText(place, entries), keyId);

/** The text that a link covers: the previous hash, its position, its marks, and every column of each of its entries. */
export function linkText({ form, previous, position, marks }: LinkPlace, entries: readonly Entry[]): Buffer {
  const version = form === 1 ? '' : `v${form} `;
  const sealed = form < 3 || marks === null ? '' : `${marks.toString('hex')} `;
  const columns = entries.map((entry) => columnsText(form, entry)).join('\n');
  return Buffer.concat([previous, Buffer.from(`${version}${position} ${sealed}${columns}`)]);
}

/**
 * Every column of an entry in one format. Patient ids were added later than the first links, and are included only where there are
 * some.
 */
export function columnsText(form: number, entry: Entry): string {
  const { organizationId, id, transactionId, actor, action, resource, resourceIds, patientIds, operation, requestId, address, detail } =
    entry;
  const before = JSON.stringify([organizationId, id, transactionId, instantIn(form, entry), actor, action, resource]);
  const after = JSON.stringify([operation, requestId, address, detail]);
  const charts = patientIds === null ? '' : `,${patientIds}`;
  return `${before.slice(0, -1)},${resourceIds},${after.slice(1, -1)}${charts}]`;
}

/** In the first form, milliseconds where there are no finer ones: an entry with finer ones was edited, and has another hash. */
function instantIn(form: number, { at }: Entry): string {
  return form === 1 && at.endsWith(WHOLE_MILLISECONDS) ? `${at.slice(0, -WHOLE_MILLISECONDS.length)}Z` : at;
}
