import { z } from 'zod';
import type { OfficeDetails } from '../../../../domain/practices/offices.ts';
import type { AppointmentLocation, AppointmentWaitingRoom } from '../../../../domain/scheduling/appointment/appointment-view.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { id, instant, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { addressShape, fromAddress } from './organizations.wire.ts';

export const OfficeShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    patient_department_name: z.string().nullable().describe('Name shown to patients'),
    address: addressShape,
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    phone: z.string().nullable(),
    fax: z.string().nullable(),
    timezone: z.string().describe('IANA time zone'),
    active: z.boolean(),
    locations: z.array(z.strictObject({ uuid: z.int(), name: z.string(), phone: z.string().nullable(), address: addressShape })),
    waiting_rooms: z.array(
      z.strictObject({
        uuid: z.int(),
        name: z.string(),
        user_id: z.int().nullable().describe('Host, if the room is assigned to one user'),
      }),
    ),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'OfficeRecord' });

export const OfficeResponse = one(OfficeShape).meta({ id: 'OfficeResponse' });
export const OfficeList = wrapList(OfficeShape).meta({ id: 'OfficeList' });

export const officeParams = z.object({ uuid: id().describe('Office id') });
export const officesQuery = z.object(paging);

export const fromLocation = ({ id, name, phone, ...place }: AppointmentLocation) => ({
  uuid: id,
  name,
  phone: writePhone(phone),
  address: fromAddress(place),
});

export const fromWaitingRoom = ({ id: uuid, name, userId }: AppointmentWaitingRoom) => ({ uuid, name, user_id: userId });

export function fromOffice(office: OfficeDetails): z.input<typeof OfficeShape> {
  return {
    uuid: office.id,
    name: office.name,
    patient_department_name: office.patientDepartmentName,
    address: fromAddress(office),
    latitude: office.latitude?.toNumber() ?? null,
    longitude: office.longitude?.toNumber() ?? null,
    phone: writePhone(office.phone),
    fax: writePhone(office.fax),
    timezone: office.timeZone,
    active: office.active,
    locations: office.locations.map(fromLocation),
    waiting_rooms: office.waitingRooms.map(fromWaitingRoom),
    created_at: writeInstant(office.createdAt),
    updated_at: writeInstant(office.updatedAt),
  };
}
