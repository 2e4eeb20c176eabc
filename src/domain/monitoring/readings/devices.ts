import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { preparedForIn } from '../../patients/restrictions/opened-charts.sql.ts';
import { ADD_DEVICES, COMPLETE_DEVICES, type DeviceRow, FIND_DEVICES } from './devices.sql.ts';

/** A device as who sends its readings names it. */
export interface DeviceName {
  /** Of the device, in any case; one without it is named by make, model and serial number together. */
  identifier: string | null;
  make: string | null;
  model: string | null;
  serial: string | null;
}

export type Device = DeviceRow;

/** The identifier of a device, or null where what was sent names none. */
export function deviceIdentifier({ identifier, make, model, serial }: DeviceName): string | null {
  if (identifier !== null) return identifier;
  return make === null || model === null || serial === null ? null : `${make} ${model} ${serial}`;
}

/**
 * The devices of the practice with these names: new ones are added, and what was not known of the others is. Names without an
 * identifier are left out.
 * @returns by the identifier, in lower case
 */
export async function registerDevices(db: Db, caller: Caller, names: readonly DeviceName[]): Promise<Map<string, Device>> {
  const named = new Map<string, DeviceName>();
  for (const name of names) {
    const identifier = deviceIdentifier(name);
    if (identifier === null) continue;
    const known = named.get(identifier.toLowerCase());
    named.set(identifier.toLowerCase(), {
      identifier: known?.identifier ?? identifier,
      make: known?.make ?? name.make,
      model: known?.model ?? name.model,
      serial: known?.serial ?? name.serial,
    });
  }
  if (named.size === 0) return new Map();
  const prepared = preparedForIn(db, caller);
  const values = [caller.organizationId, JSON.stringify([...named.values()])];
  for (const { id } of await prepared.rows(ADD_DEVICES, values)) recordChange(caller, 'create', { name: 'monitoring_device.created', id });
  for (const { id } of await prepared.rows(COMPLETE_DEVICES, values))
    recordChange(caller, 'update', { name: 'monitoring_device.updated', id });
  const devices = await prepared.rows(FIND_DEVICES, values);
  return new Map(devices.map(({ sent, ...device }) => [sent.toLowerCase(), device]));
}
