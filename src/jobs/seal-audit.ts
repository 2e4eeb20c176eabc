import type { Database } from '../database.ts';
import { sealOrganization } from '../domain/audit-chain.ts';
import type { Keyring } from '../keyring.ts';

/** Seals the audit rows of every organization that has new ones, each in a transaction of its own. */
export async function sealAudit({ prisma }: Database, keyring: Keyring): Promise<void> {
  const organizations = await prisma.$queryRaw<{ id: number }[]>`
    SELECT o.id FROM organization o
     WHERE EXISTS (
       SELECT 1 FROM audit_entry e
        WHERE e.organization_id = o.id
          AND (e.transaction_id, e.id) > (
            SELECT coalesce(max(l.transaction_id), 0), coalesce(max(l.audit_entry_id), 0)
              FROM (SELECT transaction_id, audit_entry_id FROM audit_link WHERE organization_id = o.id ORDER BY position DESC LIMIT 1) l))`;
  for (const { id } of organizations) {
    let sealed = 1;
    while (sealed > 0) {
      sealed = await prisma.$transaction(async (tx) => {
        const [lock] = await tx.$queryRaw<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(7410256, ${id}::int) AS taken`;
        return lock?.taken ? sealOrganization(tx, keyring, id) : 0;
      });
    }
  }
}
