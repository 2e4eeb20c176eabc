import type { Db } from '../../../database/database.ts';
import { type Prepared, preparedIn } from '../../../database/statements/statement.ts';
import { sendLater } from '../../../database/transaction.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { dayAt, writeDay } from '../../values/time.ts';
import { FIELDS, NO_FIELDS, type PatientFields, type PatientInput, SETTABLE } from '../chart/chart-fields.sql.ts';
import {
  INSERT_PATIENTS,
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
export async function readRegistrationPolicy({ rows }: Prepared, { organizationId }: Caller) {
  const [policy] = await rows(REGISTRATION_POLICY, [organizationId]);
  if (!policy) throw new Error('a practice whose charts are registered has a policy');
  return policy;
}

/** Numbers by which a row names a chart. */
type ChartNumbers = Pick<PatientInput, 'medicalRecordNo' | 'externalId'> & { id?: number | null | undefined };

export async function findNumberedCharts(
  { rows }: Prepared,
  { organizationId }: Caller,
  charts: readonly ChartNumbers[],
): Promise<NumberedCharts> {
  const numbers = charts.flatMap(({ medicalRecordNo }) => medicalRecordNo ?? []);
  const externalIds = charts.flatMap(({ externalId }) => externalId ?? []);
  const ids = charts.flatMap(({ id }) => id ?? []);
  const isNumbered = numbers.length + externalIds.length + ids.length > 0;
  const found = isNumbered ? await rows(NUMBERED_CHARTS, [organizationId, numbers, externalIds, ids]) : [];
  const by = (field: 'medicalRecordNo' | 'externalId') =>
    new Map(found.flatMap((chart) => (chart[field] === null ? [] : [[chart[field], chart] as const])));
  return { byId: new Map(found.map((chart) => [chart.id, chart])), byRecordNumber: by('medicalRecordNo'), byExternalId: by('externalId') };
}

/** Whether a chart exists for the caller. */
export const isVisible = (caller: Caller, { id, status, restricted }: Pick<NumberedChart, 'id' | 'status' | 'restricted'>): boolean =>
  status !== 'deleted' && (!restricted || maySeeChart(caller, id));

/**
 * Adds charts whose inputs were checked, with one event each and one audit row for all: its statements leave with the commit.
 * @param groupOf the provider group of an office
 * @returns their ids, in the order of the patients
 */
export async function insertPatients(
  db: Db,
  caller: Caller,
  patients: readonly PatientInput[],
  { timeZone, groupOf }: { timeZone: string; groupOf: (officeId: number) => number | null },
): Promise<number[]> {
  if (patients.length === 0) return [];
  const { organizationId } = caller;
  const drawn = await preparedIn(db).rows(PATIENT_IDS, [patients.length]);
  const ids = drawn.map(({ id }) => id);
  const today = dayAt(new Date(), timeZone);
  const given = patients.map((patient) => changesTo(NO_FIELDS, { ...makeConsistent(NO_FIELDS, patient), ...clearedDeclines(patient) }));
  const charts = given.map((fields, index) => ({ id: ids[index], ...columnsOf({ ...NO_FIELDS, registrationDate: today, ...fields }) }));
  sendLater(db, INSERT_PATIENTS, [organizationId, JSON.stringify(charts)]);
  const registrations = patients.flatMap(({ primaryOfficeId: office_id }, index) =>
    office_id ? [{ patient_id: ids[index], office_id, provider_group_id: groupOf(office_id) }] : [],
  );
  if (registrations.length > 0) sendLater(db, REGISTER_AT_OFFICES, [organizationId, JSON.stringify(registrations), today]);
  caller.journal.events.push(
    ...ids.map((id, index) => ({ name: 'patient.imported' as const, id, changed: Object.keys(given[index] ?? {}) })),
  );
  caller.journal.audits.push({ action: 'create', resource: 'patient', ids });
  return ids;
}

/** The columns of a chart; those without a value are left out. */
const columnsOf = (chart: PatientFields): Record<string, unknown> =>
  Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = chart[field];
      return value === null ? [] : [[SETTABLE[field][0], value instanceof Date ? writeDay(value) : value]];
    }),
  );
