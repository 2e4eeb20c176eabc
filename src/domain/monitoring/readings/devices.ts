import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
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

/** Devices by their identifiers in lower case. */
export type KnownDevices = ReadonlyMap<string, Device>;

/** The devices of the practice among those that are named. Names without an identifier are left out. */
export async function findDevices(db: Db, { organizationId }: Caller, names: readonly DeviceName[]): Promise<KnownDevices> {
  const named = mergeNames(names);
  return named.size === 0 ? new Map() : byIdentifier(await preparedIn(db).rows(FIND_DEVICES, [organizationId, asJson(named)]));
}

/** The same, where new devices are added, and what was not known of the others is. @param known as findDevices has found them */
export async function registerDevices(db: Db, caller: Caller, names: readonly DeviceName[], known: KnownDevices): Promise<KnownDevices> {
  const named = mergeNames(names);
  const isKnown = ([identifier, name]: [string, DeviceName]) => {
    const device = known.get(identifier);
    return device !== undefined && DETAILS.every((detail) => name[detail] === null || device[detail] !== null);
  };
  if ([...named].every(isKnown)) return known;
  const prepared = preparedIn(db);
  const values = [caller.organizationId, asJson(named)];
  const [added, completed, devices] = await Promise.all([
    prepared.rows(ADD_DEVICES, values),
    prepared.rows(COMPLETE_DEVICES, values),
    prepared.rows(FIND_DEVICES, values),
  ]);
  for (const { id } of added) recordChange(caller, 'create', { name: 'monitoring_device.created', id });
  for (const { id } of completed) recordChange(caller, 'update', { name: 'monitoring_device.updated', id });
  return byIdentifier(devices);
}

const DETAILS = ['make', 'model', 'serial'] as const;

/** Each device once, with what one of its names says. */
function mergeNames(names: readonly DeviceName[]): Map<string, DeviceName> {
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
  return named;
}

const asJson = (named: ReadonlyMap<string, DeviceName>): string => JSON.stringify([...named.values()]);

const byIdentifier = (rows: readonly (Device & { sent: string })[]): KnownDevices =>
  new Map(rows.map(({ sent, ...device }) => [sent.toLowerCase(), device]));
