import { type Statement, statement } from '../../../database/statements/statement.ts';
import { visibleChart } from '../../patients/restrictions/restricted-charts.sql.ts';

/** A stored reading. The value is in the unit of its item. */
export interface ReadingRow {
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
}

/** The patients whom a caller may see, among some. Values: organization, patients, whether the caller may see restricted charts. */
export const MEASURED_PATIENTS = statement<{ id: number; deceased: string | null }>(
  'measured_patients',
  `SELECT p.id, p.deceased_date::text AS deceased FROM patient p
    WHERE p.organization_id = $1 AND p.id = ANY ($2::int[]) AND ${visibleChart('p', '$3')}`,
);

/** Readings of a JSON list, `s`, with their places in it. */
const SENT = `ROWS FROM (jsonb_to_recordset($2::jsonb) AS (patient_id int, item_id int, value numeric, measured_at timestamptz,
                  measured_on date, source text, device_id bigint, check_in_id bigint)) WITH ORDINALITY
             AS s (patient_id, item_id, value, measured_at, measured_on, source, device_id, check_in_id, place)`;

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
];
const columnsOf = (r: string) => COLUMNS.map((name) => (name === 'value' ? `${r}.value::float8 AS value` : `${r}.${name}`)).join(', ');

/**
 * Stores readings, but none that is stored already: of a device its item, patient and time are unique, of a person also the source,
 * and of a check-in the item. Values: organization, readings as JSON, the user who records them or null.
 * @returns those that were stored
 */
export const STORE_READINGS: Statement<ReadingRow> = statement(
  'store_readings',
  `INSERT INTO reading AS r (organization_id, patient_id, item_id, value, measured_at, measured_on, source, device_id, check_in_id, recorded_by_user_id)
   SELECT $1::int, s.patient_id, s.item_id, s.value, s.measured_at, s.measured_on, s.source, s.device_id,
          s.check_in_id, $3::int
     FROM ${SENT} ORDER BY s.place
       ON CONFLICT DO NOTHING
RETURNING ${columnsOf('r')}`,
);

/** The stored readings in whose place others were sent. Values: organization, readings as JSON. */
export const READINGS_IN_PLACE: Statement<ReadingRow> = statement(
  'readings_in_place',
  `SELECT ${columnsOf('r')}
     FROM ${SENT}
     JOIN reading r ON r.organization_id = $1::int AND r.patient_id = s.patient_id AND r.measured_at = s.measured_at
      AND r.item_id = s.item_id AND r.source = s.source AND r.device_id IS NOT DISTINCT FROM s.device_id
      AND r.check_in_id IS NOT DISTINCT FROM s.check_in_id`,
);
