import type { Tx } from '../../../tx.ts';
import { type ClosedRow, readClosedRow } from './closed-documents.ts';

/** A version of a closed row: the first, or a correction. */
export interface ClosedVersion {
  version: number;
  /** SHA-256 of its document, in hexadecimal. */
  hash: string;
  at: Date;
  by: { id: number; firstName: string; lastName: string };
  /** Of a correction. */
  reason: string | null;
  row: ClosedRow;
}

/** All versions of a patient's row, the newest of which counts. */
export interface ClosedVersions {
  row: ClosedRow;
  /** By number. */
  versions: ClosedVersion[];
}

interface VersionRow {
  patientId: number;
  version: number;
  hash: string;
  document: string;
  reason: string | null;
  at: Date;
  byId: number;
  firstName: string;
  lastName: string;
}

/** The closed rows of patients in a month. Not audited. @param month `2026-11` */
export async function findClosedRows(tx: Tx, month: string, patientIds: number[]): Promise<Map<number, ClosedVersions>> {
  const rows = await tx.prisma.$queryRaw<VersionRow[]>`
    SELECT c.patient_id AS "patientId", c.version, encode(c.hash, 'hex') AS hash, c.document, c.reason, c.recorded_at AS at,
           u.id AS "byId", u.first_name AS "firstName", u.last_name AS "lastName"
      FROM closed_ledger_row c JOIN "user" u ON u.organization_id = c.organization_id AND u.id = c.recorded_by_id
     WHERE c.organization_id = ${tx.organizationId} AND c.month = ${month} AND c.patient_id = ANY (${patientIds}::int[])
     ORDER BY c.patient_id, c.version`;
  const byPatient = Map.groupBy(rows, ({ patientId }) => patientId);
  return new Map(
    [...byPatient].flatMap(([patientId, own]) => {
      const versions = own.map(toVersion);
      const newest = versions.at(-1);
      return newest ? [[patientId, { row: newest.row, versions }] as const] : [];
    }),
  );
}

const toVersion = ({ version, hash, document, reason, at, byId, firstName, lastName }: VersionRow): ClosedVersion => ({
  version,
  hash,
  reason,
  at,
  by: { id: byId, firstName, lastName },
  row: readClosedRow(document),
});
