import { type Statement, statement } from '../../../database/statements/statement.ts';
import { whereVisibleChart } from '../../patients/restrictions/restricted-charts.sql.ts';

/** The mark of a reading that was entered in error; nulls without one. */
export interface ErrorColumns {
  error_at: Date | null;
  error_by_user_id: number | null;
  error_reason: string | null;
}

/** A stored reading. The value is in the unit of its item. */
export interface ReadingRow extends ErrorColumns {
  id: number;
  patient_id: number;
  item_id: number;
  value: number;
  measured_at: Date;
  received_at: Date;
  source: string;
  device_id: number | null;
  check_in_id: number | null;
  recorded_by_user_id: number | null;
  implausible: boolean;
}

/** Readings of an alias that count, are compared with targets, and are drawn. */
export const soundReading = (r: string): string => `(${r}.error_at IS NULL AND NOT ${r}.implausible)`;

/** The patients whom a caller may see, among some. Values: organization, patients, whether the caller may see restricted charts. */
export const MEASURED_PATIENTS = statement<{ id: number; deceased: string | null }>(
  'measured_patients',
  `SELECT p.id, p.deceased_date::text AS deceased FROM patient p
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[]) AND ${whereVisibleChart('p', '$3')}`,
);

/** Readings of a JSON list, `s`, with their places in it. */
const SENT = `ROWS FROM (jsonb_to_recordset($2::jsonb) AS (patient_id int, item_id int, value numeric, measured_at timestamptz,
                  measured_on date, source text, device_id bigint, check_in_id bigint, implausible boolean)) WITH ORDINALITY
             AS s (patient_id, item_id, value, measured_at, measured_on, source, device_id, check_in_id, implausible, place)`;

const COLUMNS = [
  'id',
  'patient_id',
  'item_id',
  'value',
  'measured_at',
  'received_at',
  'source',
  'device_id',
  'check_in_id',
  'recorded_by_user_id',
  'implausible',
  'error_at',
  'error_by_user_id',
  'error_reason',
];
const selectColumns = (r: string) => COLUMNS.map((name) => (name === 'value' ? `${r}.value::float8 AS value` : `${r}.${name}`)).join(', ');

/**
 * Stores readings, but none that is stored already: of a device its item, patient and time are unique, of a person also the source,
 * and of a check-in the item; a reading by hand that was entered in error holds no place. Values: organization, readings as JSON, the user
 * who records them or null.
 * @returns those that were stored
 */
export const STORE_READINGS: Statement<ReadingRow> = statement(
  'store_readings',
  `INSERT INTO reading AS r (organization_id, patient_id, item_id, value, measured_at, measured_on, source, device_id, check_in_id, implausible,
                             recorded_by_user_id)
   SELECT $1::int, s.patient_id, s.item_id, s.value, s.measured_at, s.measured_on, s.source, s.device_id,
          s.check_in_id, s.implausible, $3::int
     FROM ${SENT} ORDER BY s.place
       ON CONFLICT DO NOTHING
RETURNING ${selectColumns('r')}`,
);

/** The stored readings in whose place others were sent. Values: organization, readings as JSON. */
export const READINGS_IN_PLACE: Statement<ReadingRow> = statement(
  'readings_in_place',
  `SELECT ${selectColumns('r')}
     FROM ${SENT}
     JOIN reading r ON r.organization_id = $1::int AND r.patient_id = s.patient_id AND r.measured_at = s.measured_at
      AND r.item_id = s.item_id AND r.source = s.source AND r.device_id IS NOT DISTINCT FROM s.device_id
      AND r.check_in_id IS NOT DISTINCT FROM s.check_in_id AND (r.error_at IS NULL OR r.source = 'device' OR r.check_in_id IS NOT NULL)`,
);

/** Values: organization, reading. */
export const LOCK_READING = statement<never>(
  'lock_reading',
  'SELECT id FROM reading WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE',
);

/** Marks a reading as entered in error, or with nulls undoes it. Values: organization, reading, time, user, reason. */
export const MARK_READING = statement<never>(
  'mark_reading',
  `UPDATE reading SET error_at = $3::timestamptz, error_by_user_id = $4::int, error_reason = $5
    WHERE organization_id = $1 AND id = $2`,
);

/** The reading that was recorded by hand in the place of one that is marked. Values: organization, the marked reading. */
export const READING_IN_ITS_PLACE = statement<{ id: number }>(
  'reading_in_its_place',
  `SELECT r.id FROM reading m
     JOIN reading r ON r.organization_id = m.organization_id AND r.patient_id = m.patient_id AND r.item_id = m.item_id
      AND r.measured_at = m.measured_at AND r.source = m.source AND r.error_at IS NULL
    WHERE m.organization_id = $1 AND m.id = $2 AND m.source <> 'device' AND m.check_in_id IS NULL AND r.check_in_id IS NULL`,
);
