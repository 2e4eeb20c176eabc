import { createHash } from 'node:crypto';
import { Temporal } from 'temporal-polyfill';
import { recordChange } from '../audit/journal-entries.ts';
import { conflict } from '../errors.ts';
import { withdrawCharts } from '../patients/chart/withdrawn-charts.ts';
import type { Tx } from '../tx.ts';
import { chartsOfPerson } from './charts-of-person.ts';
import { deletePatientTables } from './delete-patient-tables.ts';
import { readHeld } from './legal-holds.ts';
import { PATIENT_TABLES } from './patient-tables.ts';
import { type PatientRecords, readPatientTables, type StoredRow } from './read-patient-tables.ts';
import { readRetentionPolicy } from './retention-policy.ts';

/** All that is about one person and is to be erased. */
export interface Erasure {
  /** All charts of the person. */
  charts: number[];
  /** Numbers of rows, by table; tables without any are left out. */
  rows: Record<string, number>;
  /** Confirms the erasure of exactly these rows as they stand: any change of them makes it another word. */
  word: string;
}

/** Tables that are evidence of billing, which nothing deletes or changes. */
const EVIDENCE = PATIENT_TABLES.filter(({ isEvidence }) => isEvidence).map(({ table }) => table);

/**
 * Counts all that would be erased, and deletes nothing. Locks the charts until the transaction ends.
 * @throws Failure not_found; conflict where the practice has not allowed it, a legal hold or the retention period forbids it, or there is
 *   evidence of billing
 */
export async function previewErasure(tx: Tx, patientId: number): Promise<Erasure> {
  const { charts, records } = await readErasable(tx, patientId);
  tx.journal.audits.push({ action: 'read', resource: 'patient', ids: charts, detail: 'erasure counted' });
  return describe(charts, records);
}

/**
 * Erases a person. The audit and the log of events stay; their ids are all that is left. The contents of files go with the job of abandoned
 * files, also after a kill.
 * @throws Failure as previewErasure; conflict where the word is not that of the present state
 */
export async function erasePatient(tx: Tx, patientId: number, word: string): Promise<Erasure> {
  const { charts, records } = await readErasable(tx, patientId);
  const erasure = describe(charts, records);
  if (erasure.word !== word)
    throw conflict(
      'wrong_word',
      'The records have changed since this word was shown. Run the command again without --confirm to see the new word.',
    );
  await deletePatientTables(tx, charts, records);
  for (const id of charts) recordChange(tx, 'delete', { name: 'patient.erased', id });
  withdrawCharts(tx, charts);
  return erasure;
}

async function readErasable(tx: Tx, patientId: number): Promise<{ charts: number[]; records: PatientRecords }> {
  const { erasure, chartYears } = await readRetentionPolicy(tx);
  const charts = await chartsOfPerson(tx, patientId);
  if (!erasure) throw conflict('erasure_off', 'The practice does not allow erasure. Apply a file with policies: { erasure: true } first.');
  await tx.prisma
    .$queryRaw`SELECT id FROM patient WHERE organization_id = ${tx.organizationId} AND id = ANY (${charts}::int[]) ORDER BY id FOR UPDATE`;
  const held = await readHeld(tx);
  if (held.practice || charts.some((id) => held.charts.includes(id)))
    throw conflict('legal_hold', 'A legal hold keeps everything about this person. To see it: legal-holds list.');
  const records = await readPatientTables(tx, charts);
  const day = erasableFrom(records, chartYears);
  if (Temporal.PlainDate.compare(day, Temporal.Now.plainDateISO('UTC')) > 0)
    throw conflict(
      'retention_period',
      `The charts of this person are kept until ${day.toString()}, ${chartYears === 1 ? 'a year' : `${chartYears} years`} after the last visit or after coming of age.`,
    );
  const evidence = EVIDENCE.filter((table) => (records[table] ?? []).length > 0);
  if (evidence.length > 0)
    throw conflict('billing_evidence', `There is billing evidence about this person, which cannot be deleted: ${evidence.join(', ')}.`);
  return { charts, records };
}

function describe(charts: number[], records: PatientRecords): Erasure {
  const rows = Object.entries(records).flatMap(([table, found]) => (found.length === 0 ? [] : [[table, found.length] as const]));
  const digest = createHash('sha256').update(JSON.stringify(records)).digest('hex');
  return { charts, rows: Object.fromEntries(rows), word: `erase-${digest.slice(0, 12)}` };
}

/** Columns that tell when the practice last had to do with a patient. */
const ACTIVITY: readonly (readonly [table: string, column: string])[] = [
  ['patient', 'created_at'],
  ['appointment', 'ends_at'],
  ['claim', 'service_date'],
  ['telehealth_visit', 'started_at'],
  ['waiting_room_visit', 'entered_at'],
  ['reading', 'measured_at'],
  ['check_in', 'answered_at'],
  ['check_in_review', 'started_at'],
  ['incoming_call', 'started_at'],
  ['voice_pager_message', 'received_at'],
];

const OF_AGE = 18;

/**
 * The first day on which the charts of a person may be erased: years after the last visit or other contact, or after the person came of
 * age where that is later.
 */
function erasableFrom(records: PatientRecords, years: number): Temporal.PlainDate {
  const contacts = ACTIVITY.flatMap(([table, column]) =>
    (records[table] ?? []).filter((row) => row.status !== 'cancelled').map((row) => readColumnDay(row, column)),
  );
  const births = (records.patient ?? []).map((row) => readColumnDay(row, 'birth_date')?.add({ years: OF_AGE }));
  const latest = [...contacts, ...births]
    .filter((day) => day !== undefined)
    .sort(Temporal.PlainDate.compare)
    .at(-1);
  return (latest ?? Temporal.Now.plainDateISO('UTC')).add({ years });
}

/** A day, or the day of an instant in UTC. */
function readColumnDay(row: StoredRow, column: string): Temporal.PlainDate | undefined {
  const written = row[column];
  return typeof written === 'string' ? Temporal.PlainDate.from(written.slice(0, 'yyyy-mm-dd'.length)) : undefined;
}
