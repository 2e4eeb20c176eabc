import type { Keyring } from '../../../database/encryption/keyring.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt, writeDay } from '../../values/time/time.ts';
import { FIELDS, type Field, NO_FIELDS, type PatientFields, type PatientInput, toColumn } from '../chart/chart-fields.sql.ts';
import { type Ssns, sealColumns } from '../record/ssn.ts';
import {
  findInsertMany,
  NUMBERED_CHARTS,
  type NumberedChart,
  PATIENT_IDS,
  REGISTER_AT_OFFICES,
  REGISTRATION_POLICY,
} from './register-many.sql.ts';
import { clearedDeclines, makeConsistent } from './registration-rules.ts';

/** The charts that have numbers of other systems, by those. */
export interface NumberedCharts {
  byId: ReadonlyMap<number, NumberedChart>;
  byRecordNumber: ReadonlyMap<string, NumberedChart>;
  byExternalId: ReadonlyMap<string, NumberedChart>;
}

/** @throws Error where the practice is gone */
export async function readRegistrationPolicy(tx: Tx) {
  const [policy] = await tx.rows(REGISTRATION_POLICY);
  if (!policy) throw new Error('a practice whose charts are registered has a policy');
  return policy;
}

/** Numbers by which a row names a chart. */
type ChartNumbers = Pick<PatientInput, 'medicalRecordNo' | 'externalId'> & { id?: number | null | undefined };

export async function findNumberedCharts(tx: Tx, charts: readonly ChartNumbers[]): Promise<NumberedCharts> {
  const numbers = charts.flatMap(({ medicalRecordNo }) => medicalRecordNo ?? []);
  const externalIds = charts.flatMap(({ externalId }) => externalId ?? []);
  const ids = charts.flatMap(({ id }) => id ?? []);
  const isNumbered = numbers.length + externalIds.length + ids.length > 0;
  const found = isNumbered ? await tx.rows(NUMBERED_CHARTS, [numbers, externalIds, ids]) : [];
  const by = (field: 'medicalRecordNo' | 'externalId') =>
    new Map(found.flatMap((chart) => (chart[field] === null ? [] : [[chart[field], chart] as const])));
  return { byId: new Map(found.map((chart) => [chart.id, chart])), byRecordNumber: by('medicalRecordNo'), byExternalId: by('externalId') };
}

export const isVisible = (caller: Caller, { id, status, restricted }: Pick<NumberedChart, 'id' | 'status' | 'restricted'>): boolean =>
  status !== 'deleted' && (!restricted || maySeeChart(caller, id));

/** A chart that was checked, with its numbers of nine digits. */
interface NewChart {
  patient: PatientInput;
  ssns: Ssns;
}

/**
 * Adds charts whose inputs were checked, with one event each and one audit row for all: its statements leave with the commit.
 * @param findGroupId the provider group of an office
 */
export async function insertPatients(
  tx: Tx,
  charts: readonly NewChart[],
  { timeZone, findGroupId, keyring }: { timeZone: string; findGroupId: (officeId: number) => number | null; keyring: Keyring },
): Promise<void> {
  if (charts.length === 0) return;
  const drawn = await tx.prepared.rows(PATIENT_IDS, [charts.length]);
  const ids = drawn.map(({ id }) => id);
  const today = dayAt(new Date(), timeZone);
  const given = charts.map(({ patient }) => changesTo(NO_FIELDS, { ...makeConsistent(NO_FIELDS, patient), ...clearedDeclines(patient) }));
  const names = new Set(given.flatMap((fields) => Object.keys(fields)));
  const { fields, write } = findInsertMany(FIELDS.filter((field) => field === 'registrationDate' || names.has(field)));
  const rows = charts.map(({ ssns }, index) => {
    const id = ids[index] ?? 0;
    const ofSsns = ssns.ssn || ssns.guarantorSsn ? sealColumns(keyring, { ...tx.practice, row: id }, ssns) : {};
    return { id, ...toRow({ ...NO_FIELDS, registrationDate: today, ...given[index] }, fields), ...ofSsns };
  });
  tx.later(write, [JSON.stringify(rows)]);
  const registrations = charts.flatMap(({ patient: { primaryOfficeId: office_id } }, index) =>
    office_id ? [{ patient_id: ids[index], office_id, provider_group_id: findGroupId(office_id) }] : [],
  );
  if (registrations.length > 0) tx.later(REGISTER_AT_OFFICES, [JSON.stringify(registrations), today]);
  const listNumbered = ({ ssns }: NewChart) => (['ssn', 'guarantorSsn'] as const).filter((field) => ssns[field]);
  tx.journal.events.push(
    ...charts.map((chart, index) => ({
      name: 'patient.imported' as const,
      id: ids[index] ?? 0,
      changed: [...Object.keys(given[index] ?? {}), ...listNumbered(chart)],
    })),
  );
  tx.journal.audits.push({ action: 'create', resource: 'patient', ids });
}

/** The columns of these fields of a chart; those without a value are left out. */
function toRow(chart: PatientFields, fields: readonly Field[]): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const field of fields) {
    const value = chart[field];
    if (value !== null) columns[toColumn(field)] = value instanceof Date ? writeDay(value) : value;
  }
  return columns;
}
