import type { Recall } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { findPatient, whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import { findOffice, findOpenOffice } from '../../practices/offices.ts';
import type { Tx } from '../../tx.ts';
import { findAppointmentType } from './appointment-types.ts';

export type { Recall };

/** Longest note and longest instructions, in characters. */
export const RECALL_TEXT_LENGTH = 4_000;

type Fields = 'patientId' | 'officeId' | 'providerId' | 'typeId' | 'approximateDate' | 'note' | 'patientInstructions' | 'staffInstructions';
/** A visit that a patient is to book about a day. */
export type RecallInput = Pick<Recall, Fields>;

/** @throws Failure not_found naming a chart, an office, a provider or a type that is not there; invalid for a provider who has left */
export async function addRecall(tx: Tx, input: RecallInput): Promise<number> {
  const { patientId, officeId, providerId, typeId } = input;
  await findPatient(tx, patientId, 'ofPatientId');
  await findOpenOffice(tx, officeId);
  if (providerId !== null) await requireActiveProvider(tx, providerId);
  if (typeId !== null) await findAppointmentType(tx, typeId, 'typeId');
  const { id } = await tx.prisma.recall.create({ data: { ...tx.practice, ...input }, select: { id: true } });
  recordChange(tx, 'create', { name: 'recall.created', id }, [patientId]);
  return id;
}

async function requireActiveProvider(tx: Tx, id: number): Promise<void> {
  const provider = await tx.prisma.provider.findUnique({ where: tx.key(id), select: { active: true } });
  if (!provider) throw notFound('provider', 'providerId');
  if (!provider.active) throw invalid('providerId', 'is a provider who is not active', 'inactive_provider');
}

/** A search of recalls of one office; a field that is undefined passes all. */
export interface RecallFilter {
  officeId: number;
  from: Date;
  to: Date;
  patientId?: number | undefined;
  providerId?: number | undefined;
  typeId?: number | undefined;
  withDeleted: boolean;
}

/** Recalls of charts that the caller may see. */
const visible = (caller: Caller) => ({ organizationId: caller.organizationId, patient: whereVisiblePatient(caller) });

/** By day, then by id; those of charts that the caller may not see are left out. @throws Failure not_found for an unknown office */
export async function listRecalls(
  tx: Tx,
  { officeId, from, to, withDeleted, ...only }: RecallFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ recalls: Recall[]; total: number }> {
  await findOffice(tx, officeId);
  const where = {
    ...visible(tx),
    officeId,
    approximateDate: { gte: from, lte: to },
    ...Object.fromEntries(Object.entries(only).filter(([, id]) => id !== undefined)),
    ...(withDeleted ? {} : { deletedAt: null }),
  };
  const [recalls, total] = await Promise.all([
    tx.prisma.recall.findMany({ where, orderBy: [{ approximateDate: 'asc' }, { id: 'asc' }], take: limit, skip: offset }),
    tx.prisma.recall.count({ where }),
  ]);
  recordListed(tx, 'recall', recalls);
  return { recalls, total };
}

/** @throws Failure not_found; also for one that was deleted, and of a chart that the caller may not see */
export async function readRecall(tx: Tx, id: number): Promise<Recall> {
  const recall = await tx.prisma.recall.findFirst({ where: { ...visible(tx), id, deletedAt: null } });
  if (!recall) throw notFound('appointment reminder');
  recordReadWithPatients(tx, 'recall', { ids: [id], patientIds: [recall.patientId] }, 'read');
  return recall;
}

/** @throws Failure as readRecall */
export async function deleteRecall(tx: Tx, id: number): Promise<void> {
  const { patientId } = await readRecall(tx, id);
  await tx.prisma.recall.update({ where: tx.key(id), data: { deletedAt: new Date() } });
  recordChange(tx, 'delete', { name: 'recall.deleted', id }, [patientId]);
}
