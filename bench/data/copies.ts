import { CHART_COLUMNS } from './patients.ts';
import type { PracticePlan, Step } from './practices.ts';

/** Columns that differ in each copy because they are unique in a practice. */
const OWN: Record<string, string> = {
  medical_record_no: `CASE WHEN medical_record_no IS NOT NULL THEN 'MRN' || id + shift END`,
  ssn_hash: `CASE WHEN ssn_hash IS NOT NULL THEN sha256((id + shift)::text::bytea) END`,
  email: `CASE WHEN email IS NOT NULL THEN 'patient' || id + shift || '@mail.example' END`,
};

/** Tables of charts and their copied columns, without the key. */
const COPIED: { title: string; table: string; key: string; columns: string[] }[] = [
  { title: 'charts', table: 'patient', key: 'id', columns: CHART_COLUMNS },
  { title: 'privacy forms', table: 'privacy_item', key: 'patient_id', columns: ['kind', 'verified', 'verified_on', 'expires_on'] },
  { title: 'portal accounts', table: 'portal_account', key: 'patient_id', columns: ['holder', 'registered_at', 'updated_at'] },
  { title: 'restrictions', table: 'privacy_restriction', key: 'patient_id', columns: ['kind'] },
  {
    title: 'name keys',
    table: 'patient_name_key',
    key: 'patient_id',
    columns: ['ordinal', 'last_key', 'first_key', 'office_id', 'shared_length'],
  },
];

/** Copies the drawn patients with further ids. No part may hold rows of two copies. */
export function copySteps({ organizationId, before, patients, drawn }: PracticePlan): Step[] {
  if (patients === drawn) return [];
  return COPIED.map(({ title, table, key, columns }) => ({
    title: `copies of ${title}`,
    rows: patients - drawn,
    text: `
      INSERT INTO ${table} (organization_id, ${key}, ${columns.join(', ')})
      SELECT organization_id, ${key} + shift, ${columns.map((column) => OWN[column] ?? column).join(', ')}
        FROM ${table} CROSS JOIN (SELECT (($1::int - 1) / ${drawn} + 1) * ${drawn} AS shift) AS copy
       WHERE organization_id = ${organizationId}
         AND ${key} BETWEEN ${before} + 1 + ($1::int - 1) % ${drawn} AND ${before} + 1 + ($2::int - 1) % ${drawn}`,
  }));
}
