import type { Db } from '../../../database/database.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict } from '../../errors.ts';
import { type MonthClosed, readBillingPeriod } from './billing-period.ts';
import { monthNumber } from './closed-row-store.ts';

/** The state of what is stored of a closed month. */
export interface MonthCheck {
  month: string;
  closed: MonthClosed;
  /** Number of corrections. */
  corrections: number;
  /** Versions whose texts do not have their hash, or that do not follow the version before. */
  broken: { patientId: number; version: number }[];
  /** Whether the hash of the month is that of its rows. */
  hashHolds: boolean;
  /** Whether the audit has the same hash. */
  auditHolds: boolean;
}

interface CheckRow {
  corrections: number;
  rows: number;
  broken: MonthCheck['broken'];
  hashHolds: boolean;
  auditHolds: boolean;
}

/**
 * Computes the hashes of a closed month again, in the database. Audited.
 * @throws Failure invalid for a malformed month; conflict for one that is open
 */
export async function checkMonth(db: Db, caller: Caller, month: string): Promise<MonthCheck> {
  const { organizationId } = caller;
  const period = await readBillingPeriod(db, caller, month);
  if (!period.closed) throw notClosed(month);
  const id = monthNumber(month);
  const [found] = await db.$queryRaw<CheckRow[]>`
    WITH checked AS (
      SELECT patient_id, version,
             hash = sha256(convert_to(document, 'UTF8'))
             AND document::jsonb->>'evidenceHash' = encode(sha256(convert_to(evidence, 'UTF8')), 'hex')
             AND document::jsonb->>'previousHash' IS NOT DISTINCT FROM encode(lag(hash) OVER versions, 'hex')
             AND CASE WHEN lag(version) OVER versions IS NULL THEN version < 3 ELSE version = lag(version) OVER versions + 1 END AS holds
        FROM closed_ledger_row WHERE organization_id = ${organizationId} AND month = ${month}
      WINDOW versions AS (PARTITION BY patient_id ORDER BY version)
    )
    SELECT (SELECT count(*)::int FROM checked WHERE version > 1) AS corrections,
           (SELECT count(*)::int FROM checked WHERE version = 1) AS rows,
           (SELECT coalesce(json_agg(json_build_object('patientId', patient_id, 'version', version) ORDER BY patient_id, version), '[]')
              FROM checked WHERE NOT holds) AS broken,
           m.hash = closed_month_hash(m.organization_id, m.month) AS "hashHolds",
           EXISTS (SELECT FROM audit_entry a
                    WHERE a.organization_id = m.organization_id AND a.resource = 'closed_month' AND a.action = 'create'
                      AND a.resource_ids = ARRAY[${id}]::bigint[] AND a.detail = m.month || ' sha256 ' || encode(m.hash, 'hex')) AS "auditHolds"
      FROM closed_month m WHERE m.organization_id = ${organizationId} AND m.month = ${month}`;
  if (!found) throw notClosed(month);
  recordRead(caller, 'closed_month', [id]);
  const { rows, ...check } = found;
  return { month, closed: period.closed, ...check, hashHolds: check.hashHolds && rows === period.closed.rows };
}

export const notClosed = (month: string) => conflict('not_closed', `${month} is not closed.`);
