import { statement } from '../../../database/statements/statement.ts';
import type { PatientStatus, RegistrationPolicy } from '../../../generated/prisma/client.ts';
import { perCombination, toColumn, toSqlType } from '../chart/chart-fields.sql.ts';

/** Value: organization. */
export const REGISTRATION_POLICY = statement<{ timeZone: string; hasMedicationHistory: boolean; registrationPolicy: RegistrationPolicy }>(
  'registration_policy',
  'SELECT time_zone AS "timeZone", has_medication_history AS "hasMedicationHistory", registration_policy AS "registrationPolicy" FROM organization WHERE id = $1',
);

/** A chart that has a number of another system. */
export interface NumberedChart {
  id: number;
  status: PatientStatus;
  restricted: boolean;
  primaryOfficeId: number | null;
  medicalRecordNo: string | null;
  externalId: string | null;
  mergedInto: Pick<NumberedChart, 'id' | 'status' | 'restricted' | 'primaryOfficeId'> | null;
}

/**
 * The charts with these numbers; deleted charts keep theirs. Values: organization, medical record numbers, ids of another system, own ids.
 */
export const NUMBERED_CHARTS = statement<NumberedChart>(
  'numbered_charts',
  ['medical_record_no = ANY ($2::text[])', 'external_id = ANY ($3::text[])', 'id = ANY ($4::int[])']
    .map(
      (isNumbered) =>
        `SELECT p.id, p.status, p.restricted, p.primary_office_id AS "primaryOfficeId", p.medical_record_no AS "medicalRecordNo", p.external_id AS "externalId",
                CASE WHEN w.id IS NOT NULL THEN jsonb_build_object('id', w.id, 'status', w.status, 'restricted', w.restricted,
                       'primaryOfficeId', w.primary_office_id) END AS "mergedInto"
           FROM patient p LEFT JOIN patient w ON w.organization_id = $1 AND w.id = p.merged_into_id WHERE p.organization_id = $1 AND p.${isNumbered}`,
    )
    .join(' UNION '),
);

/** Draws ids of new patients. Value: how many. */
export const PATIENT_IDS = statement<{ id: number }>(
  'patient_ids',
  `SELECT nextval('patient_id_seq')::int AS id FROM generate_series(1, $1::int)`,
);

const SSN_COLUMNS = [
  ...[
    ['ssn_encrypted', 'text'],
    ['ssn_hash', 'bytea'],
    ['ssn_last_four', 'text'],
  ],
  ...[
    ['guarantor_ssn_encrypted', 'text'],
    ['guarantor_ssn_last_four', 'text'],
  ],
];

/** Registers many charts, as findInsert does one. Values: organization, charts as JSON by their columns. */
export const findInsertMany = perCombination('insert_patients', (fields) => {
  const columns = [...fields.map((field) => [toColumn(field), toSqlType(field)]), ...SSN_COLUMNS];
  const writeNames = (of: string) => columns.map(([column]) => `${of}${column}`).join(', ');
  return `INSERT INTO patient (organization_id, id, updated_at, ${writeNames('')})
   SELECT $1::int, r.id, now(), ${writeNames('r.')}
     FROM jsonb_to_recordset($2::jsonb) AS r (id int, ${columns.map((column) => column.join(' ')).join(', ')})`;
});

/** Registers many charts at offices. Values: organization, registrations as JSON, day of the registration. */
export const REGISTER_AT_OFFICES = statement<never>(
  'register_at_offices',
  `INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, local_patient_id, registered_on, updated_at)
   SELECT $1::int, r.patient_id, r.office_id, r.provider_group_id, r.patient_id, $3::date, now()
     FROM jsonb_to_recordset($2::jsonb) AS r (patient_id int, office_id int, provider_group_id int)`,
);
