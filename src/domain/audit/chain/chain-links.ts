import type { Keyring } from '../../../database/encryption/keyring.ts';
import { statement } from '../../../database/statements/statement.ts';

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

/** An anchor that was checked: the heads of all chains at an instant. */
export interface Anchor {
  at: Date;
  heads: (ChainHead & { organizationId: number })[];
}

/** The key of an audit row in the order of the log. */
export interface EntryKey {
  transactionId: bigint;
  auditEntryId: bigint;
}

export const START: EntryKey = { transactionId: 0n, auditEntryId: 0n };

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

export const toInstant = ({ at }: Pick<Entry, 'at'>): Date => new Date(`${at.slice(0, 'yyyy-mm-ddThh:mm:ss.sss'.length)}Z`);

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

/** A link's place in its chain, and the marks of its entries. */
interface LinkPlace {
  previous: Buffer;
  /** Of its last entry. */
  position: bigint;
  marks: Buffer;
}

/**
 * The hash of a link: the previous hash, its position, its marks, and every column of each of its entries, under a key that the database
 * does not have. @throws KeyringError without the master key
 */
export function linkHash(keyring: Keyring, keyId: string, { previous, position, marks }: LinkPlace, entries: readonly Entry[]): Buffer {
  const columns = entries.map(columnsText).join('\n');
  return keyring.mac(PURPOSE, Buffer.concat([previous, Buffer.from(`${position} ${marks.toString('hex')} ${columns}`)]), keyId);
}

/** Every column of an entry in one format. Patient ids are included only where there are some. */
export function columnsText(entry: Entry): string {
  const { organizationId, id, transactionId, at, actor, action, resource, resourceIds, patientIds, operation, requestId, address, detail } =
    entry;
  const before = JSON.stringify([organizationId, id, transactionId, at, actor, action, resource]);
  const after = JSON.stringify([operation, requestId, address, detail]);
  const charts = patientIds === null ? '' : `,${patientIds}`;
  return `${before.slice(0, -1)},${resourceIds},${after.slice(1, -1)}${charts}]`;
}
