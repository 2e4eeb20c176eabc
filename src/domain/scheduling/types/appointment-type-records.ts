import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../caller.ts';
import { findOrganization } from '../../practices/organizations.ts';
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
  db: Db,
  caller: Caller,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: AppointmentTypeRecord[]; total: number }> {
  const where = { ...whereVisibleType(caller), active: true };
  const [{ defaultAppointmentLength }, types, total] = await Promise.all([
    findOrganization(db, caller.organizationId),
    db.appointmentType.findMany({ where, orderBy: { id: 'asc' }, skip: offset, take: limit }),
    db.appointmentType.count({ where }),
  ]);
  return { items: types.map((type) => toRecord(type, defaultAppointmentLength)), total };
}

/** One type, also an inactive one. @throws Failure not_found where the organization may not use it */
export async function findTypeRecord(db: Db, caller: Caller, id: number): Promise<AppointmentTypeRecord> {
  const type = await findAppointmentType(db, caller, id);
  const { defaultAppointmentLength } = await findOrganization(db, caller.organizationId);
  return toRecord(type, defaultAppointmentLength);
}

const toRecord = (
  { id, name, description, durationMinutes }: Pick<AppointmentType, 'id' | 'name' | 'description' | 'durationMinutes'>,
  defaultMinutes: number,
): AppointmentTypeRecord => ({ id, name, description, durationMinutes: durationMinutes ?? defaultMinutes });
