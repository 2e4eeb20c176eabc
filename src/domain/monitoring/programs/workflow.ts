import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound, WrongFields } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { type Enrolment, type EnrolmentKey, readEnrolment, requireListedPatient } from './enrolments.ts';

interface Step {
  id: number;
  name: string;
}

/**
 * Moves a patient to another step of a program: the next one, or any earlier one. The enrolment is locked, so that concurrent
 * moves are checked one after the other.
 * @throws Failure not_found for an unknown program, patient or step, also a step of another program; conflict for a patient who
 *   is not enrolled, is at the step already, or would skip a step
 */
export async function moveToStep(tx: Tx, { programId, patientId, stepId }: EnrolmentKey & { stepId: number }): Promise<Enrolment> {
  const { organizationId, userId } = tx;
  const program = await tx.prisma.program.findUnique({
    where: tx.key(programId),
    select: { steps: { select: { id: true, name: true }, orderBy: { position: 'asc' } } },
  });
  const steps = program?.steps ?? [];
  const wrong = new WrongFields();
  if (!program) wrong.add(notFound('program', 'programId'));
  await wrong.check(() => requireListedPatient(tx, patientId, 'patientId'));
  const isKnownStep = program ? steps.some(({ id }) => id === stepId) : await isAnyStep(tx, stepId);
  if (!isKnownStep) wrong.add(notFound('step', 'stepId'));
  wrong.throwIfAny();
  const [enrolment] = await tx.prisma.$queryRaw<{ id: number; step_id: number | null }[]>`
    SELECT id, step_id FROM program_patient
     WHERE organization_id = ${organizationId} AND program_id = ${programId} AND patient_id = ${patientId} AND removed_at IS NULL
       FOR NO KEY UPDATE`;
  if (!enrolment) throw conflict('not_in_program', 'The patient is not in this program.', 'patientId');
  requireAllowedStep(steps, enrolment.step_id, stepId);
  await tx.prisma.programPatient.update({
    where: tx.key(enrolment.id),
    data: { stepId },
    select: { id: true },
  });
  await tx.prisma.workflowEvent.create({
    data: { organizationId, programPatientId: enrolment.id, stepId, userId, occurredAt: new Date() },
  });
  recordChange(tx, 'update', { name: 'program_patient.moved', id: enrolment.id, changed: ['stepId'] }, [patientId]);
  return readEnrolment(tx, enrolment.id);
}

/** Whether any program of the organization has this step. */
async function isAnyStep(tx: Tx, id: number): Promise<boolean> {
  return (await tx.prisma.workflowStep.count({ where: { ...tx.practice, id } })) > 0;
}

/** @param steps in their order */
function requireAllowedStep(steps: Step[], from: number | null, to: number): void {
  if (from === to) throw conflict('already_at_step', 'The patient is already at this step.', 'stepId');
  const at = steps.findIndex(({ id }) => id === from);
  if (steps.findIndex(({ id }) => id === to) <= at + 1) return;
  const listNames = (listed: Step[]) => listed.map(({ id, name }) => `${id} (${name})`).join(', ');
  const back = at > 0 ? `, and back to ${listNames(steps.slice(0, at))}` : '';
  throw conflict(
    'step_not_allowed',
    `That would skip a step. The patient can move to ${listNames(steps.slice(at + 1, at + 2))}${back}.`,
    'stepId',
  );
}
