import { z } from 'zod';
import type { OfficeChanges } from '../../domain/practices/offices.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { choice, clearable, id, money, phone, state, text, timeZone, words, yesNo, zip } from '../terminal/options.ts';

const line = () => clearable(text(200)).exactOptional();
const amount = () => clearable(money().transform((dollars) => new Prisma.Decimal(dollars))).exactOptional();
const degrees = (most: number) =>
  clearable(
    z
      .string()
      .regex(/^-?\d{1,3}(\.\d{1,6})?$/, 'must be degrees such as -73.927400')
      .refine((input) => Math.abs(Number(input)) <= most, `must be within ${most} degrees`)
      .transform((input) => new Prisma.Decimal(input)),
  )
    .exactOptional()
    .meta({ placeholder: 'degrees' });
const cards = () => words('AX', 'DS', 'MC', 'VI').exactOptional();

/** Flags with the names of the domain's fields. */
const directFields = {
  name: text(200).exactOptional().describe('its name'),
  patientDepartmentName: line().describe('its name as patients read it'),
  timeZone: timeZone().exactOptional().describe('its IANA time zone; existing appointments keep theirs'),
  address1: line().describe('street'),
  address2: line().describe('second line'),
  city: line(),
  state: clearable(state()).exactOptional().describe('two letters, or its name'),
  zip: clearable(zip()).exactOptional().describe('five or nine digits'),
  phone: clearable(phone()).exactOptional().describe('telephone number'),
  fax: clearable(phone()).exactOptional().describe('fax number'),
  latitude: degrees(90),
  longitude: degrees(180),
  portalUrl: clearable(text(500)).exactOptional().describe('address of its patient portal'),
  hiddenInPortal: yesNo().exactOptional().describe('yes leaves it out of the lists of departments'),
  clinicals: choice('ON', 'OFF', 'DOCUMENTSONLY', 'ADMINONLY').exactOptional().describe('what clinical records it keeps'),
  medicationHistoryConsent: yesNo().exactOptional().describe('asks patients whether it may see their medication history'),
  placeOfServiceFacility: yesNo().exactOptional(),
  singleAppointmentContractMax: amount().describe('most that a contract for one appointment may charge'),
  oneYearContractMax: amount().describe('most that a contract for a year may charge'),
  active: yesNo().exactOptional().describe('no closes the office'),
};

/** Flags whose domain field has another name: toOfficeChanges maps them. */
const renamedFields = {
  hospital: yesNo().exactOptional().describe('is a department of a hospital'),
  service: yesNo().exactOptional().describe('is a service department'),
  placeOfService: line().describe('code of the place of service, such as 11'),
  placeOfServiceName: line().describe('such as OFFICE'),
  creditCards: cards().describe('cards that it accepts, separated by commas, or none; replaces the whole list'),
  ecommerceCreditCards: cards().describe('cards that it accepts online, separated by commas, or none; replaces the whole list'),
  chartSharingGroup: clearable(id()).exactOptional().describe('number of the group that shares charts with it'),
  communicatorBrand: clearable(id()).exactOptional().describe('number of the brand of its messages'),
};

export const officeFields = { ...directFields, ...renamedFields };

/** The values of the command-line options as changes of the domain's fields. */
export function toOfficeChanges(given: z.output<z.ZodObject<typeof officeFields>>): OfficeChanges {
  const { hospital, service, placeOfService, placeOfServiceName, creditCards, ecommerceCreditCards, ...others } = given;
  const { chartSharingGroup, communicatorBrand, ...fields } = others;
  return {
    ...fields,
    ...(hospital === undefined ? {} : { isHospitalDepartment: hospital }),
    ...(service === undefined ? {} : { isServiceDepartment: service }),
    ...(placeOfService === undefined ? {} : { placeOfServiceTypeId: placeOfService }),
    ...(placeOfServiceName === undefined ? {} : { placeOfServiceTypeName: placeOfServiceName }),
    ...(creditCards === undefined ? {} : { creditCardTypes: creditCards }),
    ...(ecommerceCreditCards === undefined ? {} : { ecommerceCreditCardTypes: ecommerceCreditCards }),
    ...(chartSharingGroup === undefined ? {} : { chartSharingGroupId: chartSharingGroup }),
    ...(communicatorBrand === undefined ? {} : { communicatorBrandId: communicatorBrand }),
  };
}
