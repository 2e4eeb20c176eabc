import type { ShownAuditEntry } from '../../domain/logs/audit-search.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { Cell } from './csv.ts';

/** Entries of the audit in one table, which is no page. */
export const AUDIT_TABLE_ROWS = 10_000;

const COLUMNS: Readonly<Record<string, (entry: ShownAuditEntry) => Cell>> = {
  uuid: ({ id }) => Number(id),
  at: ({ at }) => writeInstant(at),
  actor: ({ actor }) => actor,
  action: ({ action }) => action,
  resource: ({ resource }) => resource,
  resource_ids: ({ resourceIds }) => resourceIds.join(' '),
  patient_ids: ({ patientIds }) => patientIds.join(' '),
  patient_restricted: ({ patientRestricted }) => String(patientRestricted),
  operation: ({ operation }) => operation,
  request_id: ({ requestId }) => requestId,
  address: ({ address }) => address,
  detail: ({ detail }) => detail,
};

/** Entries of the audit as the rows of a table, below the names of its columns. */
export const toAuditTable = (entries: readonly ShownAuditEntry[]): Cell[][] => [
  Object.keys(COLUMNS),
  ...entries.map((entry) => Object.values(COLUMNS).map((read) => read(entry))),
];
