import { recordRead } from '../../../audit/journal-entries.ts';
import { conflict } from '../../../errors.ts';
import type { Tx } from '../../../tx.ts';
import { type MonthClosed, readBillingPeriod } from '../rules/billing-period.ts';
import { monthNumber } from './closed-row-store.ts';

export interface MonthCheck {
  month: string;
  closed: MonthClosed;
  corrections: number;
  /** Versions that are not what their hash or the audit says, that do not follow the version before, or that only one of both has. */
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
 * Computes the hashes of a closed month again, in the database, and compares its versions with those that the audit names. Audited. The
 * hash of the month is that of the function `closed_month_hash`, which no statement may call: it reads rows, and a node reads none beside others.
 * @throws Failure invalid for a malformed month; conflict for one that is open
 */
export async function checkMonth(tx: Tx, month: string): Promise<MonthCheck> {
  const { organizationId } = tx;
  const period = await readBillingPeriod(tx, month);
  if (!period.closed) throw notClosed(month);
  const id = monthNumber(month);
  const [found] = await tx.prisma.$queryRaw<CheckRow[]>`
    WITH listed AS (
      SELECT coalesce(string_agg(patient_id || ' ' || encode(hash, 'hex') || E'\n', '' ORDER BY patient_id), '') AS rows FROM closed_ledger_row
       WHERE organization_id = ${organizationId} AND month = ${month} AND version = 1
    ), closed AS (
      SELECT m.*, encode(m.hash, 'hex') AS text, m.hash = sha256(convert_to(
               concat_ws(' ', m.organization_id, m.month, m.time_zone, m.readings, m.supply_period, m.row_count, m.held_count, m.closed_by_id,
                         to_char(m.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || E'\n' || listed.rows, 'UTF8')) AS holds
        FROM closed_month m CROSS JOIN listed
       WHERE m.organization_id = ${organizationId} AND m.month = ${month}
    ), audited AS (
      SELECT action, detail FROM audit_record
       WHERE organization_id = ${organizationId} AND resource = 'closed_month' AND resource_ids = ARRAY[${id}]::bigint[]
         AND action IN ('create', 'update')
    ), named AS (
      SELECT part[1]::int AS patient_id, part[2]::int AS version, part[3] AS hash
        FROM audited, regexp_match(detail, 'patient (\\d+) version (\\d+) sha256 ([0-9a-f]+)') AS part WHERE action = 'update'
    ), stored AS (
      SELECT r.patient_id, r.version, encode(r.hash, 'hex') AS hash, r.document::jsonb AS document,
             r.hash = sha256(convert_to(r.document, 'UTF8')) AS is_own, encode(sha256(convert_to(r.evidence, 'UTF8')), 'hex') AS evidence_hash,
             lag(r.version) OVER versions AS version_before, encode(lag(r.hash) OVER versions, 'hex') AS hash_before,
             r.reason, r.recorded_by_id, r.recorded_at, c.closed_by_id, c.closed_at
        FROM closed_ledger_row r, closed c WHERE r.organization_id = ${organizationId} AND r.month = ${month}
      WINDOW versions AS (PARTITION BY r.patient_id ORDER BY r.version)
    ), checked AS (
      SELECT coalesce(s.patient_id, n.patient_id) AS patient_id, coalesce(s.version, n.version) AS version,
             coalesce(s.is_own AND document->>'evidenceHash' = evidence_hash AND document->>'month' = ${month}
               AND document->>'organizationId' = ${organizationId}::int::text
               AND document->'row'->>'patientId' = s.patient_id::text AND document->>'version' = s.version::text
               AND document->>'previousHash' IS NOT DISTINCT FROM hash_before AND document->>'reason' IS NOT DISTINCT FROM s.reason
               AND CASE WHEN version_before IS NULL THEN s.version < 3 ELSE s.version = version_before + 1 END
               AND CASE s.version WHEN 1 THEN recorded_by_id = closed_by_id AND recorded_at = closed_at
                        ELSE n.hash = s.hash AND document->>'recordedById' = recorded_by_id::text
                             AND (document->>'recordedAt')::timestamptz = recorded_at END, false) AS holds
        FROM stored s FULL JOIN named n ON n.patient_id = s.patient_id AND n.version = s.version
    )
    SELECT (SELECT count(*)::int FROM stored WHERE version > 1) AS corrections,
           (SELECT count(*)::int FROM stored WHERE version = 1) AS rows,
           (SELECT coalesce(json_agg(json_build_object('patientId', patient_id, 'version', version) ORDER BY patient_id, version), '[]')
              FROM checked WHERE NOT holds) AS broken,
           c.holds AS "hashHolds",
           EXISTS (SELECT FROM audited WHERE action = 'create' AND detail = c.month || ' sha256 ' || c.text) AS "auditHolds"
      FROM closed c`;
  if (!found) throw notClosed(month);
  recordRead(tx, 'closed_month', [id]);
  const { rows, ...check } = found;
  return { month, closed: period.closed, ...check, hashHolds: check.hashHolds && rows === period.closed.rows };
}

export const notClosed = (month: string) => conflict('not_closed', `${month} is not closed.`);
