import { type Statement, statement } from '../../../database/statements/statement.ts';

/** Devices of a JSON list, each once. */
const NAMED = `jsonb_to_recordset($2::jsonb) AS n (identifier text, make text, model text, serial text)`;

/** Adds the devices that the practice does not have. Values: organization, devices as JSON. */
export const ADD_DEVICES: Statement<{ id: number }> = statement(
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
export const COMPLETE_DEVICES: Statement<{ id: number }> = statement(
  'complete_devices',
  `UPDATE monitoring_device d
      SET make = coalesce(d.make, n.make), model = coalesce(d.model, n.model), serial = coalesce(d.serial, n.serial)
     FROM ${NAMED}
    WHERE d.organization_id = $1::int AND lower(d.identifier) = lower(n.identifier)
      AND (d.make IS NULL AND n.make IS NOT NULL OR d.model IS NULL AND n.model IS NOT NULL OR d.serial IS NULL AND n.serial IS NOT NULL)
RETURNING d.id`,
);

/** A device of the practice. */
export interface DeviceRow {
  id: number;
  identifier: string;
  make: string | null;
  model: string | null;
  serial: string | null;
}

/** Devices by their identifiers. Values: organization, devices as JSON. */
export const FIND_DEVICES: Statement<DeviceRow & { sent: string }> = statement(
  'find_devices',
  `SELECT n.identifier AS sent, d.id, d.identifier, d.make, d.model, d.serial
     FROM ${NAMED}
     JOIN monitoring_device d ON d.organization_id = $1::int AND lower(d.identifier) = lower(n.identifier)`,
);
