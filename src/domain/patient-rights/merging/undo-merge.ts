import { z } from 'zod';
import type { PatientMerge } from '../../../generated/prisma/client.ts';
import { snakeCase } from '../../../records/field.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import { FIELDS, toColumn } from '../../patients/chart/chart-fields.sql.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { type MovedRows, recordMovedAppointments, UNDO_DAYS } from './merge.ts';
import {
  CHART_TO_MERGE,
  type ChartColumns,
  LEAD_BACK,
  LOCK_CHARTS,
  MONTHS_CLOSED_SINCE,
  MOVES,
  RENEW_RESTRICTED,
  restoreColumns,
  SET_MERGED_INTO,
  SET_RECORD_NUMBER,
} from './merging.sql.ts';

/** Tables whose rows count for the billing of a month. */
const BILLED_TABLES = ['reading', 'check_in', 'check_in_review', 'program_patient', 'tracked_condition'];

const storedRows = z.record(z.string(), z.array(z.string()));
const storedFields = z.record(z.string(), z.unknown());

/**
 * Takes the newest merge into a chart back: the other chart is there again, with the rows that moved and are still where they went, and the
 * chart has the fields that it had.
 * @param fromPatientId the chart that was merged into it; undefined for the newest merge
 * @throws Failure not_found without such a merge; conflict where it is too old, or something since then contradicts
 */
export async function undoMerge(tx: Tx, patientId: number, fromPatientId?: number): Promise<void> {
  await findPatient(tx, patientId);
  const merge = await tx.prisma.patientMerge.findFirst({
    where: { ...tx.practice, patientId, undoneAt: null, ...(fromPatientId === undefined ? {} : { fromPatientId }) },
    orderBy: { id: 'desc' },
  });
  if (!merge) throw notFound('merge');
  const fromId = merge.fromPatientId;
  await tx.rows(LOCK_CHARTS, [[patientId, fromId]]);
  const [[into], [from]] = await Promise.all([tx.rows(CHART_TO_MERGE, [patientId]), tx.rows(CHART_TO_MERGE, [fromId])]);
  if (!into || !from || from.chart.merged_into_id !== patientId) throw standing('The other chart has since been merged into another one.');
  const moved = storedRows.parse(merge.moved);
  await requireNoContradiction(tx, { merge, moved, into: into.chart, from: from.chart });
  await tx.rows(SET_MERGED_INTO, [fromId, merge.fromStatus, null]);
  await tx.rows(LEAD_BACK, [fromId, patientId]);
  await restoreFields(tx, merge, into.chart);
  const back: MovedRows = {};
  for (const { table, moveBack } of MOVES.filter((of) => moved[of.table] !== undefined))
    back[table] = (await tx.rows(moveBack, [patientId, fromId, moved[table]])).map(({ key }) => String(key));
  await tx.rows(RENEW_RESTRICTED, [[patientId, fromId]]);
  await tx.prisma.patientMerge.update({ where: tx.key(merge.id), data: { undoneAt: new Date() } });
  const changed = listFields(merge);
  recordChange(tx, 'update', { name: 'patient.unmerged', id: patientId, changed }, [patientId, fromId], `merge with ${fromId} undone`);
  tx.journal.events.push({ name: 'patient.updated', id: fromId, changed: ['status'] });
  recordMovedAppointments(tx, back);
}

const listFields = ({ fields }: PatientMerge) => {
  const columns = Object.keys(storedFields.parse(fields));
  return FIELDS.filter((field) => columns.includes(toColumn(field)));
};

interface Undoing {
  merge: PatientMerge;
  moved: MovedRows;
  into: ChartColumns;
  from: ChartColumns;
}

const standing = (message: string) => conflict('merge_stands', message);

/** @throws Failure conflict */
async function requireNoContradiction(tx: Tx, { merge, moved, into, from }: Undoing): Promise<void> {
  if (Date.now() - merge.mergedAt.getTime() > UNDO_DAYS * 86_400_000)
    throw standing(`The merge is older than ${UNDO_DAYS} days and can no longer be undone.`);
  const changed = listFields(merge).find((field) => JSON.stringify(into[toColumn(field)]) !== JSON.stringify(from[toColumn(field)]));
  if (changed) throw standing(`${snakeCase(changed)} was changed since the merge. Set it to the value that the merge took, then undo.`);
  if (!BILLED_TABLES.some((table) => moved[table] !== undefined)) return;
  const [closed] = await tx.rows(MONTHS_CLOSED_SINCE, [merge.mergedAt]);
  if (closed) throw standing(`The month ${closed.month} was closed since the merge, with moved records.`);
}

async function restoreFields(tx: Tx, merge: PatientMerge, into: ChartColumns): Promise<void> {
  const before = storedFields.parse(merge.fields);
  const columns = listFields(merge).map((field) => toColumn(field));
  if (columns.length > 0) await tx.rows(restoreColumns(columns), [merge.patientId, JSON.stringify(before)]);
  if (!merge.tookRecordNumber) return;
  await tx.rows(SET_RECORD_NUMBER, [merge.patientId, null]);
  await tx.rows(SET_RECORD_NUMBER, [merge.fromPatientId, into.medical_record_no]);
}
