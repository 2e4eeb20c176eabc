import { findOrganization } from '../../practices/organizations.ts';
import type { Tx } from '../../tx.ts';
import { type AppointmentType, findAppointmentType, whereVisibleType } from './appointment-types.ts';

/** An appointment type with the length that an appointment of it gets. */
export interface AppointmentTypeRecord {
  id: number;
  name: string;
  description: string | null;
  durationMinutes: number;
}

/** The active types that the organization may use, by id. */
export async function listActiveTypeRecords(
  tx: Tx,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: AppointmentTypeRecord[]; total: number }> {
  const where = { ...whereVisibleType(tx), active: true };
  const [{ defaultAppointmentLength }, types, total] = await Promise.all([
    findOrganization(tx.prisma, tx.organizationId),
    tx.prisma.appointmentType.findMany({ where, orderBy: { id: 'asc' }, skip: offset, take: limit }),
    tx.prisma.appointmentType.count({ where }),
  ]);
  return { items: types.map((type) => toRecord(type, defaultAppointmentLength)), total };
}

/** One type, also an inactive one. @throws Failure not_found where the organization may not use it */
export async function findTypeRecord(tx: Tx, id: number): Promise<AppointmentTypeRecord> {
  const type = await findAppointmentType(tx, id);
  const { defaultAppointmentLength } = await findOrganization(tx.prisma, tx.organizationId);
  return toRecord(type, defaultAppointmentLength);
}

const toRecord = (
  { id, name, description, durationMinutes }: Pick<AppointmentType, 'id' | 'name' | 'description' | 'durationMinutes'>,
  defaultMinutes: number,
): AppointmentTypeRecord => ({ id, name, description, durationMinutes: durationMinutes ?? defaultMinutes });
