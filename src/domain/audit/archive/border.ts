import { createHash, type Hash } from 'node:crypto';
import { type Prepared, statement } from '../../../database/statement.ts';
import { columnsText, type Entry, LINK_FORM } from '../chain-links.ts';
import type { Checkpoint } from './checkpoints.ts';

/** Entries a statement. */
const BATCH = 2_000;

/** Values: organization, the entry after which to begin, the last one, the instant before which none is read, limit. */
const BORDER = statement<Entry>(
  'audit_border',
  `SELECT organization_id AS "organizationId", id::text, transaction_id::text AS "transactionId",
          to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z" AD') AS at, actor, action, resource,
          array_to_json(resource_ids)::text AS "resourceIds", array_to_json(patient_ids)::text AS "patientIds", operation,
          request_id AS "requestId", address, detail
     FROM audit_record e
    WHERE organization_id = $1::int AND (e.transaction_id, e.id) > ($2::bigint, $3::bigint)
      AND (e.transaction_id, e.id) <= ($4::bigint, $5::bigint) AND e.at >= $6::timestamptz
    ORDER BY e.transaction_id, e.id
    LIMIT $7::int`,
);

/** Where the table begins since months were dropped. */
const TABLE_START = statement<{ at: Date }>('audit_table_start', 'SELECT at FROM audit_table_start');

/** Sums up entries that are in the archive and stay in the table, in the order of the log, each month by itself: it leaves as a whole. */
export function createBorder() {
  const sums = new Map<string, Hash>();
  return {
    add(entry: Entry): void {
      const month = entry.at.slice(0, 'yyyy-mm'.length);
      const sum = sums.get(month) ?? createHash('sha256');
      sums.set(month, sum.update(`${columnsText(LINK_FORM, entry)}\n`));
    },
    /** The months, each with its sum. */
    end: (): string[] => [...sums].map(([month, sum]) => `${month} ${sum.digest('base64url')}`).sort(),
  };
}

/** Whether an entry of a segment stays in the table too. Instants as the log writes them have one length, and sort as texts. */
export const isBorder = ({ at }: Entry, cutAt: Date): boolean => at.endsWith(' AD') && at >= cutAt.toISOString().replace('Z', '000Z AD');

/** The instant from which on the table has the entries of the archive: that of the checkpoint, unless later months have left it since. */
export async function beginOfBorder(prepared: Prepared, { cutAt }: Pick<Checkpoint, 'cutAt'>): Promise<Date> {
  const [start] = await prepared.rows(TABLE_START, []);
  const at = new Date(start?.at ?? cutAt);
  return at > cutAt ? at : cutAt;
}

/** The entries in the table that the archive has too, because they are not from before an instant: a few of the next month. */
export async function* readBorder(
  prepared: Prepared,
  { organizationId, transactionId, auditEntryId }: Checkpoint,
  from: Date,
): AsyncGenerator<Entry> {
  let after = ['0', '0'];
  for (;;) {
    const entries = await prepared.rows(BORDER, [organizationId, ...after, String(transactionId), String(auditEntryId), from, BATCH]);
    yield* entries;
    const last = entries.at(-1);
    if (!last) return;
    after = [last.transactionId, last.id];
  }
}

/** Whether the border in the table is as it was when the segment was written. */
export async function flawOfBorder(prepared: Prepared, checkpoint: Checkpoint): Promise<string | null> {
  const begin = await beginOfBorder(prepared, checkpoint);
  const border = createBorder();
  for await (const entry of readBorder(prepared, checkpoint, begin)) border.add(entry);
  const kept = checkpoint.border.filter((month) => month >= begin.toISOString().slice(0, 'yyyy-mm'.length));
  if (border.end().join() === kept.join()) return null;
  return `of the entries before link ${checkpoint.position} that are in the archive and in the table, one was edited, deleted or added in the table`;
}
