import { z } from 'zod';
import { snakeCase } from '../../../records/field.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, invalid, WrongFields } from '../../errors.ts';
import { FIELDS, type Field, toColumn } from '../../patients/chart/chart-fields.sql.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { withdrawCharts } from '../../patients/chart/withdrawn-charts.ts';
import type { Tx } from '../../tx.ts';
import {
  CHART_TO_MERGE,
  type ChartColumns,
  type ChartToMerge,
  LEAD_ON,
  LOCK_CHARTS,
  MOVES,
  RENEW_RESTRICTED,
  SET_MERGED_INTO,
  SET_RECORD_NUMBER,
  takeColumns,
} from './merging.sql.ts';

/** Days for which a merge can be undone. */
export const UNDO_DAYS = 30;

export interface MergeInput {
  patientId: number;
  /** The chart that is merged into the other. */
  fromPatientId: number;
  /** Fields to take from that one though the other has them, by their names for readers outside: `mobile_phone`. */
  fields: readonly string[];
}

export interface Merge {
  id: number;
  patientId: number;
  fromPatientId: number;
  /** Names of the fields that the chart has from the other, and of those that it kept. */
  taken: string[];
  kept: string[];
  /** The number of rows that moved, by table; tables without any are left out. */
  moved: Record<string, number>;
  mergedAt: Date;
}

/** The fields that a merge decides about. A record number and the status have rules of their own, and the id of another system leads on. */
const MERGED_FIELDS = FIELDS.filter((field) => !['status', 'medicalRecordNo', 'externalId'].includes(field));

/** The fields that a merge may be told to take, by their names for readers outside. */
export const MERGED_FIELD_NAMES = MERGED_FIELDS.map(snakeCase);

/** Of a chart that says nothing: an objection that it does not have is taken from the other, and so are lists. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0);

/**
 * Makes one chart of two of the same person, in the caller's transaction: what the chart lacks, and the named fields, come from the other, whose
 * appointments, texts, readings and all other rows go to it. The other is deleted, and leads to it. Closed months stay as they were billed.
 * @throws Failure not_found for a chart that the caller may not see; invalid for an unknown field; conflict for the chart itself, and for
 *   charts of departments
 */
export async function mergePatients(tx: Tx, { patientId, fromPatientId, fields }: MergeInput): Promise<Merge> {
  await tx.rows(LOCK_CHARTS, [[patientId, fromPatientId]]);
  const wrong = new WrongFields();
  const wanted = await wrong.check(() => readFields(fields));
  await wrong.check(() => findPatient(tx, fromPatientId, 'fromPatientId'));
  await findPatient(tx, patientId);
  wrong.throwIfAny();
  if (patientId === fromPatientId) throw conflict('same_chart', 'A chart cannot be merged into itself.', 'fromPatientId');
  const [[into], [from]] = await Promise.all([tx.rows(CHART_TO_MERGE, [patientId]), tx.rows(CHART_TO_MERGE, [fromPatientId])]);
  if (!into || !from) throw new Error('a chart that was locked is gone');
  requireNoDepartmentalCharts([into, from]);
  const taken = fieldsToTake(into.chart, from.chart, wanted ?? []);
  const tookRecordNumber = await takeFields(tx, { into: into.chart, from: from.chart, taken });
  await tx.rows(SET_MERGED_INTO, [fromPatientId, 'deleted', patientId]);
  await tx.rows(LEAD_ON, [fromPatientId, patientId]);
  const moved = await moveRows(tx, fromPatientId, patientId);
  await tx.rows(RENEW_RESTRICTED, [[patientId, fromPatientId]]);
  const { id, mergedAt } = await tx.prisma.patientMerge.create({
    data: {
      ...tx.practice,
      patientId,
      fromPatientId,
      tookRecordNumber,
      moved,
      fromStatus: toStatus(from.chart),
      fields: valuesBefore(into.chart, taken),
    },
  });
  recordMerge(tx, { patientId, fromPatientId, taken, moved });
  return {
    id,
    patientId,
    fromPatientId,
    mergedAt,
    taken: [...taken.map(snakeCase), ...(tookRecordNumber ? ['medical_record_no'] : [])],
    kept: MERGED_FIELDS.filter((field) => !taken.includes(field) && !isEmpty(into.chart[toColumn(field)])).map(snakeCase),
    moved: Object.fromEntries(Object.entries(moved).map(([table, keys]) => [table, keys.length])),
  };
}

/** @throws Failure conflict */
function requireNoDepartmentalCharts(charts: readonly ChartToMerge[]): void {
  const isDepartmental = charts.some(({ chart, copies }) => chart.enterprise_id !== null || copies > 0);
  const message = 'One of the charts is a departmental copy, or has copies: such charts are not merged.';
  if (isDepartmental) throw conflict('departmental_charts', message, 'fromPatientId');
}

/** @throws Failure invalid */
function readFields(names: readonly string[]): Field[] {
  return names.map((name, index) => {
    const field = MERGED_FIELDS.find((known) => snakeCase(known) === name);
    if (field === undefined) throw invalid(`fields.${index}`, `must be one of ${MERGED_FIELD_NAMES.join(', ')}`, 'unknown_field');
    return field;
  });
}

/** Those of the other chart that differ, where this one has none, or they are wanted. */
const fieldsToTake = (into: ChartColumns, from: ChartColumns, wanted: readonly Field[]): Field[] =>
  MERGED_FIELDS.filter((field) => {
    const [own, other] = [into[toColumn(field)], from[toColumn(field)]];
    return !isEmpty(other) && (isEmpty(own) || wanted.includes(field)) && JSON.stringify(own) !== JSON.stringify(other);
  });

const jsonOfColumns = z.record(z.string(), z.json());
const valuesBefore = (into: ChartColumns, taken: readonly Field[]) =>
  jsonOfColumns.parse(Object.fromEntries(taken.map((field) => [toColumn(field), into[toColumn(field)]])));

const STATUSES = ['active', 'inactive', 'prospective'] as const;
const toStatus = ({ status }: ChartColumns) => STATUSES.find((known) => known === status) ?? 'active';

/** @returns whether the chart had no medical record number, and has that of the other now */
async function takeFields(
  tx: Tx,
  { into, from, taken }: { into: ChartColumns; from: ChartColumns; taken: readonly Field[] },
): Promise<boolean> {
  if (taken.length > 0) await tx.rows(takeColumns(taken.map(toColumn)), [into.id, from.id]);
  if (into.medical_record_no !== null || from.medical_record_no === null) return false;
  await tx.rows(SET_RECORD_NUMBER, [from.id, null]);
  await tx.rows(SET_RECORD_NUMBER, [into.id, from.medical_record_no]);
  return true;
}

/** Rows that moved, by table: the values of the column by which they are known, as texts. */
export type MovedRows = Record<string, string[]>;

async function moveRows(tx: Tx, from: number, to: number): Promise<MovedRows> {
  const moved: MovedRows = {};
  for (const { table, move } of MOVES) {
    const keys = (await tx.rows(move, [from, to])).map(({ key }) => String(key));
    if (keys.length > 0) moved[table] = keys;
  }
  return moved;
}

function recordMerge(
  caller: Caller,
  { patientId, fromPatientId, taken, moved }: { patientId: number; fromPatientId: number; taken: string[]; moved: MovedRows },
): void {
  recordChange(
    caller,
    'update',
    { name: 'patient.merged', id: patientId, changed: taken },
    [patientId, fromPatientId],
    `merged with ${fromPatientId}`,
  );
  withdrawCharts(caller, [fromPatientId]);
  recordMovedAppointments(caller, moved);
}

/** Readers of appointments have their patient. The texts about them stay as they are. */
export function recordMovedAppointments({ journal }: Caller, { appointment = [] }: MovedRows): void {
  for (const id of appointment)
    journal.events.push({ name: 'appointment.changed', id: Number(id), changed: ['patientId'], textsWait: false });
}
