import { Temporal } from 'temporal-polyfill';
import type { PatientRecords, StoredRow } from './read-patient-tables.ts';

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
export function erasableFrom(records: PatientRecords, years: number): Temporal.PlainDate {
  const contacts = ACTIVITY.flatMap(([table, column]) =>
    (records[table] ?? []).filter((row) => row.status !== 'cancelled').map((row) => dayOf(row, column)),
  );
  const births = (records.patient ?? []).map((row) => dayOf(row, 'birth_date')?.add({ years: OF_AGE }));
  const latest = [...contacts, ...births]
    .filter((day) => day !== undefined)
    .sort(Temporal.PlainDate.compare)
    .at(-1);
  return (latest ?? Temporal.Now.plainDateISO('UTC')).add({ years });
}

/** A day, or the day of an instant in UTC. */
function dayOf(row: StoredRow, column: string): Temporal.PlainDate | undefined {
  const written = row[column];
  return typeof written === 'string' ? Temporal.PlainDate.from(written.slice(0, 'yyyy-mm-dd'.length)) : undefined;
}
