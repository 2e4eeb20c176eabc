import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { whereVisibleChart } from '../../patients/restrictions/restricted-charts.sql.ts';

export interface AssignedDevice {
  id: number;
  identifier: string;
  make: string | null;
  model: string | null;
  serial: string;
  patientId: number;
  /** ISO 8601 in UTC */
  assignedAt: string;
}

/** Value $1: organization, $2: whether the caller may see restricted charts. */
const ASSIGNED = `FROM device_assignment a
    JOIN monitoring_device d ON d.organization_id = a.organization_id AND d.id = a.device_id
    JOIN patient p ON p.organization_id = a.organization_id AND p.id = a.patient_id
   WHERE a.organization_id = $1 AND ${whereVisibleChart('p', '$2')}`;
const COLUMNS = `d.id, d.identifier, d.make, d.model, a.serial, a.patient_id AS "patientId", ${selectInstant('a.assigned_at')} AS "assignedAt"`;

/** Values: organization, whether the caller may see restricted charts, limit, offset. */
export const ASSIGNED_DEVICES: Statement<AssignedDevice> = statement(
  'assigned_devices',
  `SELECT ${COLUMNS} ${ASSIGNED} ORDER BY d.id LIMIT $3 OFFSET $4`,
);

/** Values: organization, whether the caller may see restricted charts. */
export const ASSIGNED_DEVICE_COUNT: Statement<{ total: number }> = statement(
  'assigned_device_count',
  `SELECT count(*)::int AS total ${ASSIGNED}`,
);

/** Values: organization, whether the caller may see restricted charts, serial numbers in lower case. */
export const HOLDERS_OF_SERIALS: Statement<AssignedDevice> = statement(
  'holders_of_serials',
  `SELECT ${COLUMNS} ${ASSIGNED} AND lower(a.serial) = ANY ($3::text[])`,
);

/** Values: organization, whether the caller may see restricted charts, device. */
export const ASSIGNED_DEVICE: Statement<AssignedDevice> = statement(
  'assigned_device',
  `SELECT ${COLUMNS} ${ASSIGNED} AND a.device_id = $3`,
);

/** Nothing where the device, or its serial number, is assigned. Values: organization, device, serial number, patient. */
export const ASSIGN_DEVICE: Statement<{ device_id: number }> = statement(
  'assign_device',
  `INSERT INTO device_assignment (organization_id, device_id, serial, patient_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING device_id`,
);

/** Values: organization, device. */
export const RETURN_DEVICE: Statement<{ device_id: number }> = statement(
  'return_device',
  'DELETE FROM device_assignment WHERE organization_id = $1 AND device_id = $2 RETURNING device_id',
);

/** The patients of medical record numbers whom the caller may see. Values: organization, whether the caller may see restricted charts, numbers. */
export const PATIENTS_OF_RECORD_NUMBERS: Statement<{ id: number; medRecNo: string }> = statement(
  'patients_of_record_numbers',
  `SELECT p.id, p.medical_record_no AS "medRecNo" FROM patient p
    WHERE p.organization_id = $1 AND ${whereVisibleChart('p', '$2')} AND p.medical_record_no = ANY ($3::text[])`,
);
