import { recordChange, recordListed } from '../../audit/journal-entries.ts';
import { maySeeRestricted } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
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
export async function assignDevice(tx: Tx, { patientId, device }: NewAssignment): Promise<AssignedDevice> {
  const mayRestricted = maySeeRestricted(tx);
  const [patient] = await tx.rows(MEASURED_PATIENTS, [[patientId], mayRestricted]);
  if (!patient) throw notFound('patient', 'patientId');
  const identifier = deviceIdentifier(device) ?? device.serial;
  const names = [{ ...device, identifier }];
  const known = (await registerDevices(tx, names, await findDevices(tx, names))).get(identifier.toLowerCase());
  if (!known) throw new Error('a device was not registered');
  const [assigned] = await tx.rows(ASSIGN_DEVICE, [known.id, device.serial, patientId]);
  if (assigned) recordChange(tx, 'create', { name: 'monitoring_device.assigned', id: known.id }, [patientId]);
  const [held] = await tx.rows(HOLDERS_OF_SERIALS, [mayRestricted, [device.serial.toLowerCase()]]);
  if (held?.id !== known.id || held.patientId !== patientId)
    throw conflict('device_assigned', 'Another patient has a device with this serial number. It must be returned first.', 'serial');
  return held;
}

/** Takes a device back. What it measured stays. @throws Failure not_found for a device that nobody has */
export async function returnDevice(tx: Tx, id: number): Promise<void> {
  const [held] = await tx.rows(ASSIGNED_DEVICE, [maySeeRestricted(tx), id]);
  const [returned] = held ? await tx.rows(RETURN_DEVICE, [id]) : [];
  if (!held || !returned) throw notFound('device');
  recordChange(tx, 'update', { name: 'monitoring_device.returned', id }, [held.patientId]);
}

/** The devices that patients have, by id. */
export async function listAssignedDevices(tx: Tx, page: PageRequest): Promise<Page<AssignedDevice>> {
  const values = [maySeeRestricted(tx)];
  const [items, [counted]] = await Promise.all([
    tx.rows(ASSIGNED_DEVICES, [...values, page.limit, (page.page - 1) * page.limit]),
    tx.rows(ASSIGNED_DEVICE_COUNT, values),
  ]);
  recordListed(tx, 'monitoring_device', items);
  return { ...page, items, total: counted?.total ?? 0 };
}
