import { z } from 'zod';
import type { AssignedDevice, NewAssignment } from '../../../../domain/monitoring/readings/assignments.ts';
import { id, instant, longId, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

const AssignedDeviceShape = z
  .strictObject({
    uuid: z.int(),
    identifier: z.string().describe('Identifier of the device in the practice; case is ignored'),
    make: z.string().nullable(),
    model: z.string().nullable(),
    serial: z.string().describe('Serial number that assigns readings to the patient; case is ignored'),
    patient_uuid: z.int(),
    assigned_at: instant().describe('Start of the assignment; readings from then on belong to the patient'),
  })
  .meta({ id: 'AssignedDevice' });

export const AssignedDeviceResponse = one(AssignedDeviceShape).meta({ id: 'AssignedDeviceResponse' });
export const AssignedDeviceList = wrapList(AssignedDeviceShape).meta({ id: 'AssignedDeviceList' });

const NAME = 100;

export const DeviceAssignmentRequest = z
  .object({
    patient_uuid: id().describe('Patient id'),
    serial: text(NAME).min(1).describe('Serial number, as the device sends it'),
    make: optional(text(NAME)),
    model: optional(text(NAME)),
    identifier: optional(text(200)).describe(
      'Identifier of the device in the practice; by default make, model and serial, or only the serial',
    ),
  })
  .meta({ id: 'DeviceAssignment' });

export const deviceParams = z.object({ device: longId().describe('Device id') });
export const devicesQuery = z.object(paging);

export const toAssignment = ({
  patient_uuid: patientId,
  serial,
  make = null,
  model = null,
  identifier = null,
}: z.output<typeof DeviceAssignmentRequest>): NewAssignment => ({ patientId, device: { serial, make, model, identifier } });

export const fromAssignedDevice = ({
  id: uuid,
  patientId,
  assignedAt,
  ...device
}: AssignedDevice): z.input<typeof AssignedDeviceShape> => ({ uuid, ...device, patient_uuid: patientId, assigned_at: assignedAt });
