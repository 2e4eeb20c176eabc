import { assignDevice, listAssignedDevices, returnDevice } from '../../../../domain/monitoring/readings/assignments.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  AssignedDeviceList,
  AssignedDeviceResponse,
  DeviceAssignmentRequest,
  deviceParams,
  devicesQuery,
  fromAssignedDevice,
  toAssignment,
} from './devices.wire.ts';

export function deviceRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group({ tag: 'Remote patient monitoring', beyondDocument: true });
  get('/remote-patient-monitoring/devices', {
    operationId: 'listAssignedDevices',
    summary: 'List the devices assigned to patients',
    description: 'By id.',
    query: devicesQuery,
    response: AssignedDeviceList,
    handle: async ({ tx, query, request }) => writePage(request, await listAssignedDevices(tx, query), fromAssignedDevice),
  });

  post('/remote-patient-monitoring/devices', {
    operationId: 'assignDevice',
    summary: 'Assign a device to a patient',
    description:
      'From then on, readings with its serial number and without a patient belong to this patient. A serial number is assigned to one patient at a time: 409 `device_assigned` until the device is returned. Repeating the assignment changes nothing.',
    body: DeviceAssignmentRequest,
    response: AssignedDeviceResponse,
    status: 201,
    handle: async ({ tx, body }) => ({ data: fromAssignedDevice(await assignDevice(tx, toAssignment(body))) }),
  });

  remove('/remote-patient-monitoring/devices/:device', {
    operationId: 'returnDevice',
    summary: 'Return a device of a patient',
    description: 'Its readings are kept. It can then be assigned to another patient.',
    params: deviceParams,
    handle: ({ tx, params }) => returnDevice(tx, params.device),
  });
}
