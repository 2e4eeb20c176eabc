import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { type PracticeRows, rowsOf } from '../../database/statements/practice-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Attachment, AuditEntry } from '../../generated/prisma/client.ts';
import { searchAudit } from '../logs/audit-search.ts';
import { revealGuarantorSsn, revealSsn } from '../patients/record/ssn.ts';
import type { Tx } from '../tx.ts';
import { chartsOfPerson } from './charts-of-person.ts';
import { type Names, readNames, readUserNames } from './named-records.ts';
import { LEFT_OUT_COLUMNS } from './patient-tables.ts';
import { type PatientRecords, readPatientTables, type StoredRow } from './read-patient-tables.ts';

/** An entry of the audit about the person: who looked or changed what, and when. Other patients of the same list are not named. */
export interface Look extends Pick<AuditEntry, 'at' | 'action' | 'resource' | 'operation' | 'detail'> {
  /** `user:12`, `client:abc`, `operator:name`, `job:name`. */
  actor: string;
  /** Of a user. */
  name: string | null;
}

/** A file of the person in the store. */
export interface PatientFile extends Pick<Attachment, 'id' | 'storageKey' | 'fileName' | 'mediaType' | 'byteLength'> {
  /** In hexadecimal. */
  sha256: string;
}

export interface PatientExport {
  organizationId: number;
  /** All charts of the person: the chart of the practice first, then its departmental copies, deleted ones too. */
  charts: number[];
  /** Those among them that are restricted or blocked: they are the person's all the same. */
  restrictedCharts: number[];
  /** By table, without LEFT_OUT_COLUMNS. */
  records: PatientRecords;
  names: Names;
  files: PatientFile[];
  /** Newest first. */
  audit: Look[];
}

/**
 * Reads everything about the person of a chart, restricted parts too; audited, with all charts.
 * @throws Failure not_found; KeyringError where a sealed value cannot be opened
 */
export async function exportPatient({ pool }: Database, keyring: Keyring, tx: Tx, patientId: number): Promise<PatientExport> {
  const { organizationId } = tx;
  const { charts, stored, names } = await inTransaction(pool, (prepared) => readAll(rowsOf(prepared, organizationId), patientId), {
    repeatable: true,
  });
  tx.journal.audits.push({ action: 'read', resource: 'patient', ids: charts, detail: 'patient exported' });
  const audit = await readLooks(pool, tx, charts);
  return {
    organizationId,
    charts,
    restrictedCharts: (stored.patient ?? []).filter(({ restricted }) => restricted === true).map(({ id }) => Number(id)),
    records: Object.fromEntries(
      Object.entries(stored).map(([table, rows]) => [table, rows.map((row) => toExportedRow(keyring, table, row))]),
    ),
    names,
    files: (stored.attachment ?? []).map(toFile),
    audit,
  };
}

async function readAll(tx: PracticeRows, patientId: number) {
  const charts = await chartsOfPerson(tx, patientId);
  const stored = await readPatientTables(tx, charts);
  return { charts, stored, names: await readNames(tx, stored) };
}

/** A row without what nobody is shown, and with what is sealed opened. */
function toExportedRow(keyring: Keyring, table: string, row: StoredRow): StoredRow {
  const kept = Object.fromEntries(Object.entries(row).filter(([column]) => !(column in LEFT_OUT_COLUMNS)));
  if (table !== 'patient') return kept;
  const chart = { organizationId: Number(row.organization_id), row: Number(row.id) };
  const open = (reveal: typeof revealSsn, sealed: unknown) => (typeof sealed === 'string' ? reveal(keyring, chart, sealed) : null);
  return {
    ...kept,
    ssn: open(revealSsn, row.ssn_encrypted),
    guarantor_ssn: open(revealGuarantorSsn, row.guarantor_ssn_encrypted),
  };
}

const toFile = (row: StoredRow): PatientFile => ({
  id: Number(row.id),
  storageKey: String(row.storage_key),
  fileName: String(row.file_name),
  mediaType: String(row.media_type),
  byteLength: Number(row.byte_length),
  sha256: String(row.sha256).replace(/^\\x/, ''),
});

/** Entries of one page of the audit. */
const PAGE = 1_000;

/** An entry that names several charts of the person counts once. */
async function readLooks(pool: Database['pool'], tx: Tx, charts: number[]): Promise<Look[]> {
  const found = new Map<bigint, Omit<Look, 'name'>>();
  for (const patientId of charts)
    for (let before: number | undefined; ; ) {
      const page = await searchAudit(tx, { patientId, range: { from: null, before: null }, limit: PAGE, before });
      for (const { id, at, actor, action, resource, operation, detail } of page.entries)
        found.set(id, { at, actor, action, resource, operation, detail });
      if (page.next === null) break;
      before = page.next;
    }
  const looks = [...found].sort(([a], [b]) => (a < b ? 1 : -1)).map(([, look]) => look);
  const users = new Set(looks.flatMap(({ actor }) => readUserId(actor) ?? []));
  const names = await inTransaction(pool, (prepared) => readUserNames(rowsOf(prepared, tx.organizationId), [...users]));
  return looks.map((look) => ({ ...look, name: names[String(readUserId(look.actor))] ?? null }));
}

const readUserId = (actor: string): number | null => (actor.startsWith('user:') ? Number(actor.slice('user:'.length)) : null);
