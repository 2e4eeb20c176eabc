import type { Db } from '../../../database/database.ts';
import type { Recall } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { findPatient, whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import { findOffice, findOpenOffice } from '../../practices/offices.ts';
import { findAppointmentType } from './appointment-types.ts';

export type { Recall };

/** Longest note and longest instructions, in characters. */
export const RECALL_TEXT_LENGTH = 4_000;

type Fields = 'patientId' | 'officeId' | 'providerId' | 'typeId' | 'approximateDate' | 'note' | 'patientInstructions' | 'staffInstructions';
/** A visit that a patient is to book about a day. */
export type RecallInput = Pick<Recall, Fields>;

/** @throws Failure not_found naming a chart, an office, a provider or a type that is not there; invalid for a provider who has left */
export async function addRecall(db: Db, caller: Caller, input: RecallInput): Promise<number> {
  const { organizationId } = caller;
  const { patientId, officeId, providerId, typeId } = input;
  await findPatient(db, caller, patientId, 'ofPatientId');
  await findOpenOffice(db, caller, officeId);
  if (providerId !== null) await requireActiveProvider(db, caller, providerId);
  if (typeId !== null) await findAppointmentType(db, caller, typeId, 'typeId');
  const { id } = await db.recall.create({ data: { organizationId, ...input }, select: { id: true } });
  recordChange(caller, 'create', { name: 'recall.created', id }, [patientId]);
  return id;
}

async function requireActiveProvider(db: Db, { organizationId }: Caller, id: number): Promise<void> {
  const provider = await db.provider.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { active: true } });
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
  db: Db,
  caller: Caller,
  { officeId, from, to, withDeleted, ...only }: RecallFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ recalls: Recall[]; total: number }> {
  await findOffice(db, caller, officeId);
  const where = {
    ...visible(caller),
    officeId,
    approximateDate: { gte: from, lte: to },
    ...Object.fromEntries(Object.entries(only).filter(([, id]) => id !== undefined)),
    ...(withDeleted ? {} : { deletedAt: null }),
  };
  const [recalls, total] = await Promise.all([
    db.recall.findMany({ where, orderBy: [{ approximateDate: 'asc' }, { id: 'asc' }], take: limit, skip: offset }),
    db.recall.count({ where }),
  ]);
  recordListed(caller, 'recall', recalls);
  return { recalls, total };
}

/** @throws Failure not_found; also for one that was deleted, and of a chart that the caller may not see */
export async function readRecall(db: Db, caller: Caller, id: number): Promise<Recall> {
  const recall = await db.recall.findFirst({ where: { ...visible(caller), id, deletedAt: null } });
  if (!recall) throw notFound('appointment reminder');
  recordReadWithPatients(caller, 'recall', { ids: [id], patientIds: [recall.patientId] }, 'read');
  return recall;
}

/** @throws Failure as readRecall */
export async function deleteRecall(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  const { patientId } = await readRecall(db, caller, id);
  await db.recall.update({ where: { organizationId_id: { organizationId, id } }, data: { deletedAt: new Date() } });
  recordChange(caller, 'delete', { name: 'recall.deleted', id }, [patientId]);
}
