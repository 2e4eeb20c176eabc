import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import { recordChange, recordListed } from '../../audit/journal-entries.ts';
import { type Caller, maySeeRestricted } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { preparedForIn } from '../../patients/restrictions/opened-charts.sql.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import {
  ASSIGN_DEVICE,
  ASSIGNED_DEVICE,
  ASSIGNED_DEVICE_COUNT,
  ASSIGNED_DEVICES,
  type AssignedDevice,
  HOLDERS_OF_SERIALS,
  RETURN_DEVICE,
} from './assignments.sql.ts';
import { type DeviceName, deviceIdentifier, findDevices, registerDevices } from './devices.ts';
import { MEASURED_PATIENTS } from './readings.sql.ts';

export type { AssignedDevice };

export interface NewAssignment {
  patientId: number;
  device: DeviceName & { serial: string };
}

/**
 * Gives a device to a patient: readings that name its serial number, and no patient, are that patient's from now on. Assigned to the same
 * patient again, it stays as it is.
 * @throws Failure not_found for the patient; conflict where another patient has the device, or one with its serial number
 */
export async function assignDevice(db: Db, caller: Caller, { patientId, device }: NewAssignment): Promise<AssignedDevice> {
  const { organizationId } = caller;
  const prepared = preparedForIn(db, caller);
  const mayRestricted = maySeeRestricted(caller);
  const [patient] = await prepared.rows(MEASURED_PATIENTS, [organizationId, [patientId], mayRestricted]);
  if (!patient) throw notFound('patient', 'patientId');
  const identifier = deviceIdentifier(device) ?? device.serial;
  const names = [{ ...device, identifier }];
  const known = (await registerDevices(db, caller, names, await findDevices(db, caller, names))).get(identifier.toLowerCase());
  if (!known) throw new Error('a device was not registered');
  const [assigned] = await prepared.rows(ASSIGN_DEVICE, [organizationId, known.id, device.serial, patientId]);
  if (assigned) recordChange(caller, 'create', { name: 'monitoring_device.assigned', id: known.id }, [patientId]);
  const [held] = await prepared.rows(HOLDERS_OF_SERIALS, [organizationId, mayRestricted, [device.serial.toLowerCase()]]);
  if (held?.id !== known.id || held.patientId !== patientId)
    throw conflict('device_assigned', 'Another patient has a device with this serial number. It must be returned first.', 'serial');
  return held;
}

/** Takes a device back. What it measured stays. @throws Failure not_found for a device that nobody has */
export async function returnDevice(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  const prepared = preparedForIn(db, caller);
  const [held] = await prepared.rows(ASSIGNED_DEVICE, [organizationId, maySeeRestricted(caller), id]);
  const [returned] = held ? await prepared.rows(RETURN_DEVICE, [organizationId, id]) : [];
  if (!held || !returned) throw notFound('device');
  recordChange(caller, 'update', { name: 'monitoring_device.returned', id }, [held.patientId]);
}

/** The devices that patients have, by id. */
export async function listAssignedDevices(prepared: Prepared, caller: Caller, page: PageRequest): Promise<Page<AssignedDevice>> {
  const values = [caller.organizationId, maySeeRestricted(caller)];
  const [items, [counted]] = await Promise.all([
    prepared.rows(ASSIGNED_DEVICES, [...values, page.limit, (page.page - 1) * page.limit]),
    prepared.rows(ASSIGNED_DEVICE_COUNT, values),
  ]);
  recordListed(caller, 'monitoring_device', items);
  return { ...page, items, total: counted?.total ?? 0 };
}
