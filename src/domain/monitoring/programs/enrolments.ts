import type { FiltersOf } from '../../../database/statements/list.ts';
import { recordChange, recordListed, recordRead } from '../../audit/journal-entries.ts';
import { conflict, notFound, WrongFields } from '../../errors.ts';
import { recordChartChange } from '../../patients/chart/chart.ts';
import { MONITORED_FLAG } from '../../patients/monitored-flag.ts';
import { whereListed } from '../../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../tx.ts';
import { readNumberedPage } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { ENROLMENT, ENROLMENTS, type EnrolmentRow, type EnrolmentSort } from './enrolments.sql.ts';

/** A patient's enrolment in a program with its history. Instants are ISO 8601 texts in UTC. */
export type Enrolment = EnrolmentRow;
export type { EnrolmentSort };

/** All current enrolments of the organization. Audited with the patients who are shown. */
export function listEnrolments(tx: Tx, sort: EnrolmentSort, page: PageRequest): Promise<Page<Enrolment>> {
  return findPage(tx, { current: true }, sort, page);
}

/** Current and former enrolments of a patient. Audited. @throws Failure not_found, also for a chart that is not listed */
export async function listPatientEnrolments(
  tx: Tx,
  { patientId, sort }: { patientId: number; sort: EnrolmentSort },
  page: PageRequest,
): Promise<Page<Enrolment>> {
  await requireListedPatient(tx, patientId);
  return findPage(tx, { patientId }, sort, page);
}

async function findPage(tx: Tx, filter: FiltersOf<typeof ENROLMENTS>, sort: EnrolmentSort, page: PageRequest): Promise<Page<Enrolment>> {
  const wanted = { filter, sort, page };
  const { rows: items, total } = await readNumberedPage(tx, ENROLMENTS, wanted);
  recordListed(
    tx,
    'program_patient',
    items.map(({ id, patient_id: patientId }) => ({ id, patientId })),
  );
  return { ...page, items, total };
}

/** @throws Failure not_found, also for a patient whose chart is deleted, restricted or blocked */
export async function requireListedPatient(tx: Tx, patientId: number, field?: string): Promise<void> {
  const where = { ...tx.practice, id: patientId, ...whereListed(tx) };
  const listed = await tx.prisma.patient.findFirst({ where, select: { id: true } });
  if (!listed) throw notFound('patient', field);
}

export interface EnrolmentKey {
  programId: number;
  patientId: number;
}

/**
 * Enrols a patient in a program, at its first step, and adds the flag of monitored patients to the chart.
 * @throws Failure not_found; conflict where the program was ended, or the patient is enrolled already
 */
export async function addToProgram(tx: Tx, { programId, patientId }: EnrolmentKey): Promise<Enrolment> {
  const { organizationId, userId } = tx;
  // The lock keeps the program from being ended before the enrolment is committed.
  const [program] = await tx.prisma.$queryRaw<{ active: boolean }[]>`
    SELECT active FROM program WHERE organization_id = ${organizationId} AND id = ${programId} FOR SHARE`;
  const wrong = new WrongFields();
  if (!program) wrong.add(notFound('program', 'programId'));
  await wrong.check(() => requireListedPatient(tx, patientId, 'patientId'));
  wrong.throwIfAny();
  if (!program?.active) throw conflict('program_ended', 'The program was ended and accepts no new patients.', 'programId');
  const existing = await tx.prisma.programPatient.findFirst({
    where: { organizationId, programId, patientId, removedAt: null },
    select: { id: true },
  });
  if (existing) throw conflict('already_in_program', `The patient is already in this program: enrolment ${existing.id}.`, 'patientId');
  const first = await tx.prisma.workflowStep.findFirst({
    where: { organizationId, programId },
    orderBy: { position: 'asc' },
    select: { id: true },
  });
  const stepId = first?.id ?? null;
  const { id } = await tx.prisma.programPatient.create({ data: { organizationId, programId, patientId, stepId }, select: { id: true } });
  if (stepId !== null) await tx.prisma.workflowEvent.create({ data: { organizationId, programPatientId: id, stepId, userId } });
  await addMonitoredFlag(tx, patientId);
  recordChange(tx, 'create', { name: 'program_patient.added', id }, [patientId]);
  return readEnrolment(tx, id);
}

/** Adds the flag unless the chart has it, in any case. */
async function addMonitoredFlag(tx: Tx, patientId: number): Promise<void> {
  const added = await tx.prisma.$executeRaw`
    UPDATE patient SET flags = array_append(flags, ${MONITORED_FLAG}::text), updated_at = now()
     WHERE organization_id = ${tx.organizationId} AND id = ${patientId}
       AND NOT EXISTS (SELECT FROM unnest(flags) AS one WHERE upper(one) = ${MONITORED_FLAG})`;
  if (added > 0) recordChartChange(tx, patientId, 'flags');
}

/** Reads one enrolment after a change, audited as a read of its patient. @throws Failure not_found */
export async function readEnrolment(tx: Tx, id: number): Promise<Enrolment> {
  const [enrolment] = await tx.rows(ENROLMENT, [id]);
  if (!enrolment) throw notFound('enrolment');
  recordRead(tx, 'patient', [enrolment.patient_id]);
  return enrolment;
}

/** Ends a patient's enrolment. Its history and the patient's flag stay. @throws Failure not_found */
export async function removeFromProgram(tx: Tx, { programId, patientId }: EnrolmentKey): Promise<void> {
  await requireListedPatient(tx, patientId);
  const [left] = await tx.prisma.programPatient.updateManyAndReturn({
    where: { ...tx.practice, programId, patientId, removedAt: null },
    data: { removedAt: new Date() },
    select: { id: true },
  });
  if (!left) throw notFound('enrolment');
  recordChange(tx, 'delete', { name: 'program_patient.removed', id: left.id, changed: ['removedAt'] }, [patientId]);
}
