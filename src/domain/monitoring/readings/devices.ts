import { type Statement, statement } from '../../../database/statements/statement.ts';
import type { MonitoringDevice } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';

/** Devices of a JSON list, each once. */
const NAMED = `jsonb_to_recordset($2::jsonb) AS n (identifier text, make text, model text, serial text)`;

/** Adds the devices that the practice does not have. Values: organization, devices as JSON. */
const ADD_DEVICES: Statement<{ id: number }> = statement(
  'add_devices',
  `INSERT INTO monitoring_device (organization_id, identifier, make, model, serial)
   SELECT $1::int, n.identifier, n.make, n.model, n.serial FROM ${NAMED}
     LEFT JOIN monitoring_device d ON d.organization_id = $1::int AND lower(d.identifier) = lower(n.identifier)
    WHERE d.id IS NULL
    ORDER BY lower(n.identifier)
       ON CONFLICT DO NOTHING
RETURNING id`,
);

/** Adds the make, the model and the serial number that were not known so far. Values: organization, devices as JSON. */
const COMPLETE_DEVICES: Statement<{ id: number }> = statement(
  'complete_devices',
  `UPDATE monitoring_device d
      SET make = coalesce(d.make, n.make), model = coalesce(d.model, n.model), serial = coalesce(d.serial, n.serial)
     FROM ${NAMED}
    WHERE d.organization_id = $1::int AND lower(d.identifier) = lower(n.identifier)
      AND (d.make IS NULL AND n.make IS NOT NULL OR d.model IS NULL AND n.model IS NOT NULL OR d.serial IS NULL AND n.serial IS NOT NULL)
RETURNING d.id`,
);

type DeviceRow = Pick<MonitoringDevice, 'id' | 'identifier' | 'make' | 'model' | 'serial'>;

/** Devices by their identifiers. Values: organization, devices as JSON. */
const FIND_DEVICES: Statement<DeviceRow & { sent: string }> = statement(
  'find_devices',
  `SELECT n.identifier AS sent, d.id, d.identifier, d.make, d.model, d.serial
     FROM ${NAMED}
     JOIN monitoring_device d ON d.organization_id = $1::int AND lower(d.identifier) = lower(n.identifier)`,
);

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
export async function findDevices(tx: Tx, names: readonly DeviceName[]): Promise<KnownDevices> {
  const named = mergeNames(names);
  return named.size === 0 ? new Map() : byIdentifier(await tx.rows(FIND_DEVICES, [asJson(named)]));
}

/** The same, where new devices are added, and what was not known of the others is. @param known as findDevices has found them */
export async function registerDevices(tx: Tx, names: readonly DeviceName[], known: KnownDevices): Promise<KnownDevices> {
  const named = mergeNames(names);
  const isKnown = ([identifier, name]: [string, DeviceName]) => {
    const device = known.get(identifier);
    return device !== undefined && DETAILS.every((detail) => name[detail] === null || device[detail] !== null);
  };
  if ([...named].every(isKnown)) return known;
  const values = [asJson(named)];
  const [added, completed, devices] = await Promise.all([
    tx.rows(ADD_DEVICES, values),
    tx.rows(COMPLETE_DEVICES, values),
    tx.rows(FIND_DEVICES, values),
  ]);
  for (const { id } of added) recordChange(tx, 'create', { name: 'monitoring_device.created', id });
  for (const { id } of completed) recordChange(tx, 'update', { name: 'monitoring_device.updated', id });
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
