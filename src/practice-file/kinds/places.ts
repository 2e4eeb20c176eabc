import { z } from 'zod';
import { changeLocation, createLocation, listLocations, removeLocation } from '../../domain/practices/locations.ts';
import { createOffice, listOffices, removeOffice, updateOffice } from '../../domain/practices/offices.ts';
import {
  assignToProviderGroup,
  createProviderGroup,
  listProviderGroups,
  removeProviderGroup,
  renameProviderGroup,
} from '../../domain/practices/providers/provider-groups.ts';
import {
  addWaitingRoom,
  changeWaitingRoom,
  listAllWaitingRooms,
  removeWaitingRoom,
} from '../../domain/telehealth/waiting/waiting-rooms.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { active, address, clearable, dollars, field, phone, reference, text, timeZone, whole } from '../fields.ts';
import { kind, type Work } from '../kind.ts';
import { toStored } from '../stored.ts';

const GROUP = z.strictObject({ name: field(text(200), 'Name of the provider group') });

export const providerGroupKind = kind({
  name: 'providerGroups',
  one: 'provider group',
  names: ['name'],
  table: 'provider_group',
  shape: GROUP,
  whole: GROUP.required(),
  read: async ({ tx }) => (await listProviderGroups(tx)).map((row) => toStored(GROUP, row)),
  create: ({ tx }, item) => createProviderGroup(tx, item),
  async change({ tx }, id, { name }) {
    if (name !== undefined) await renameProviderGroup(tx, id, name);
  },
  remove: ({ tx }, id) => removeProviderGroup(tx, id),
});

const flag = (description: string) => field(z.boolean(), description);
const cards = (where: string) => field(z.array(z.enum(['AX', 'DS', 'MC', 'VI'])), `Cards that it accepts${where}`);
const degrees = (most: number, which: string) => clearable(z.number().min(-most).max(most), `Degrees of ${which}`);
const line = (description: string) => clearable(text(200), description);
const number = (description: string) => clearable(whole(1, 2_147_483_647), description);

const OFFICE = z.strictObject({
  name: field(text(200), 'Name of the office'),
  patientDepartmentName: line('Name shown to patients'),
  providerGroup: field(reference(), 'The provider group that it bills for'),
  timeZone: field(timeZone(), 'IANA time zone; that of the practice by default'),
  ...address,
  fax: clearable(phone(), 'Fax number'),
  latitude: degrees(90, 'latitude'),
  longitude: degrees(180, 'longitude'),
  portalUrl: clearable(text(500), 'Address of its patient portal'),
  hiddenInPortal: flag('Whether it is hidden in lists of departments'),
  clinicals: field(z.enum(['ON', 'OFF', 'DOCUMENTSONLY', 'ADMINONLY']), 'Clinical records that it keeps'),
  medicationHistoryConsent: flag('Whether it asks patients for their medication history'),
  isHospitalDepartment: flag('Whether it is a department of a hospital'),
  isServiceDepartment: flag('Whether it is a service department'),
  placeOfServiceTypeId: line('Code of the place of service, such as "11"'),
  placeOfServiceTypeName: line('Name of the place of service, such as OFFICE'),
  placeOfServiceFacility: flag('Whether the place of service is a facility'),
  singleAppointmentContractMax: clearable(dollars(), 'Maximum charge of a contract for one appointment'),
  oneYearContractMax: clearable(dollars(), 'Maximum charge of a one-year contract'),
  creditCardTypes: cards(''),
  ecommerceCreditCardTypes: cards(' online'),
  chartSharingGroupId: number('Number of the group that shares charts with it'),
  communicatorBrandId: number('Number of the brand of its messages'),
  active: active('false closes the office'),
});
type Office = z.output<typeof OFFICE>;

const decimal = (value: number | null) => (value === null ? null : new Prisma.Decimal(value));

/** The columns of an office; its group is another function's. */
function toColumns({
  latitude,
  longitude,
  singleAppointmentContractMax: single,
  oneYearContractMax: year,
  ...office
}: Omit<Office, 'providerGroup'>) {
  return {
    ...office,
    ...(latitude === undefined ? {} : { latitude: decimal(latitude) }),
    ...(longitude === undefined ? {} : { longitude: decimal(longitude) }),
    ...(single === undefined ? {} : { singleAppointmentContractMax: decimal(single) }),
    ...(year === undefined ? {} : { oneYearContractMax: decimal(year) }),
  };
}

export const officeKind = kind({
  name: 'offices',
  one: 'office',
  names: ['name'],
  references: { providerGroup: 'providerGroups' },
  table: 'office',
  shape: OFFICE,
  whole: OFFICE.required({ name: true }),
  read: async ({ tx }) => (await listOffices(tx)).map((row) => toStored(OFFICE, row, { providerGroup: row.providerGroupId })),
  async create({ tx, findId }, { providerGroup, ...office }) {
    const group = providerGroup === undefined ? {} : { providerGroupId: findId('providerGroups', providerGroup) };
    return createOffice(tx, { ...toColumns(office), name: office.name, ...group });
  },
  async change({ tx, findId }, id, { providerGroup, ...office }) {
    if (Object.keys(office).length > 0) await updateOffice(tx, id, toColumns(office));
    if (providerGroup !== undefined)
      await assignToProviderGroup(tx, findId('providerGroups', providerGroup), { officeIds: [id], providerIds: [] });
  },
  remove: ({ tx }, id) => removeOffice(tx, id),
});

const LOCATION = z.strictObject({
  name: field(text(200), 'Name of the location'),
  office: clearable(reference(), 'The office that it belongs to'),
  ...address,
  active: active('false closes the location'),
});

const officeIdIn = ({ findId }: Work, office: string | null | undefined) =>
  office === undefined ? {} : { officeId: office === null ? null : findId('offices', office) };

export const locationKind = kind({
  name: 'locations',
  one: 'location',
  names: ['name', 'office'],
  between: ' in ',
  references: { office: 'offices' },
  table: 'location',
  shape: LOCATION,
  whole: LOCATION.required({ name: true }),
  read: async ({ tx }) => (await listLocations(tx)).map((row) => toStored(LOCATION, row, { office: row.officeId })),
  create: (work, { office, ...item }) => createLocation(work.tx, { ...item, ...officeIdIn(work, office) }),
  change: (work, id, { office, ...item }) => changeLocation(work.tx, id, { ...item, ...officeIdIn(work, office) }),
  remove: ({ tx }, id) => removeLocation(tx, id),
});

const WAITING_ROOM = z.strictObject({
  name: field(text(100), 'Name of the waiting room'),
  office: clearable(reference(), 'The office that lists it'),
  user: clearable(reference(), 'The only user who may admit from it, by email; null for everybody of the practice'),
  active: active('false: closed for new invites'),
});

const userIdIn = ({ findId }: Work, user: string | null | undefined) =>
  user === undefined ? {} : { userId: user === null ? null : findId('users', user) };

export const waitingRoomKind = kind({
  name: 'waitingRooms',
  one: 'waiting room',
  names: ['name', 'office'],
  between: ' in ',
  references: { office: 'offices', user: 'users' },
  table: 'waiting_room',
  shape: WAITING_ROOM,
  whole: WAITING_ROOM.required({ name: true }),
  read: async ({ tx }) =>
    (await listAllWaitingRooms(tx)).map((row) => toStored(WAITING_ROOM, row, { office: row.officeId, user: row.userId })),
  async create(work, { office, user, active: isOpen = true, name }) {
    const room = await addWaitingRoom(work.tx, { name, ...officeIdIn(work, office), ...userIdIn(work, user) });
    if (!isOpen) await changeWaitingRoom(work.tx, room.id, { active: false });
    return room;
  },
  change: (work, id, { office, user, ...item }) =>
    changeWaitingRoom(work.tx, id, { ...item, ...officeIdIn(work, office), ...userIdIn(work, user) }),
  remove: ({ tx }, id) => removeWaitingRoom(tx, id),
});
