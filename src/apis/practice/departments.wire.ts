import { z } from 'zod';
import type { Department } from '../../domain/practices/departments.ts';
import { writePhone } from '../../domain/values/phone-numbers.ts';
import { option } from './parameters.ts';

export const DepartmentShape = z
  .strictObject({
    departmentid: z.string().describe('Department id'),
    name: z.string().describe('Name of the department'),
    patientdepartmentname: z.string().optional().describe('Name that patients see'),
    address: z.string().optional().describe('Both street lines, joined by a comma'),
    city: z.string().optional().describe('City'),
    state: z.string().optional().describe('State'),
    zip: z.string().optional().describe('Postal code'),
    latitude: z.string().optional().describe('Degrees north'),
    longitude: z.string().optional().describe('Degrees east'),
    phone: z.string().optional().describe('Ten digits if North American, otherwise E.164'),
    fax: z.string().optional().describe('Ten digits if North American, otherwise E.164'),
    portalurl: z.string().optional().describe('Address of the patient portal'),
    clinicals: z.enum(['ON', 'OFF', 'DOCUMENTSONLY', 'ADMINONLY']).describe('Enabled clinical features'),
    chartsharinggroupid: z.string().optional().describe('Id of the group of departments that share charts'),
    communicatorbrandid: z.string().optional().describe('Id of the brand shown to patients'),
    providergroupid: z.string().optional().describe('Id of the provider group'),
    providergroupname: z.string().optional().describe('Name of the provider group'),
    placeofservicetypeid: z.string().optional().describe('Place-of-service code'),
    placeofservicetypename: z.string().optional().describe('Name of the place of service'),
    placeofservicefacility: z.boolean().describe('Whether the place of service is a facility'),
    singleappointmentcontractmax: z.string().optional().describe('Maximum charge of a contract for one appointment, in dollars'),
    oneyearcontractmax: z.string().optional().describe('Maximum charge of a one-year contract, in dollars'),
    timezone: z.int().meta({ format: 'int32' }).describe('Current offset from UTC in hours, rounded down'),
    timezonename: z.string().describe('IANA time zone'),
    timezoneoffset: z.int().meta({ format: 'int32' }).describe('Offset from UTC in hours without daylight saving time, rounded down'),
    doesnotobservedst: z.boolean().describe('Whether clocks do not change in the next twelve months'),
    creditcardtypes: z.array(z.string()).describe('Cards accepted in the department'),
    ecommercecreditcardtypes: z.array(z.string()).optional().describe('Cards accepted online'),
    medicationhistoryconsent: z.boolean().describe('Whether patients are asked for consent to their medication history'),
    ishospitaldepartment: z.boolean().describe('Whether it belongs to a hospital'),
    servicedepartment: z.boolean().describe('Whether patients are seen there'),
    providerlist: z.array(z.string()).optional().describe('Ids of the providers who see patients there; returned with providerlist'),
  })
  .meta({ id: 'Department' });

export const departmentParams = z.object({ departmentid: z.string().describe('Department id') });

/** The document types the id in the path as a text. One that is no id is 0, which no department has. */
export const toId = (text: string) => (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= 2_147_483_647 ? Number(text) : 0);

export const departmentChoice = {
  hospitalonly: option().describe('Only hospital departments'),
  showalldepartments: option().describe('Include departments that are hidden in the portal'),
  providerlist: option().describe('Include the ids of the providers who see patients there'),
};

export const toChoice = (query: { hospitalonly: boolean; showalldepartments: boolean; providerlist: boolean }) => ({
  hospitalOnly: query.hospitalonly,
  withHidden: query.showalldepartments,
  withProviders: query.providerlist,
});

/** Fields without a value are left out. */
export function fromDepartment(department: Department): z.input<typeof DepartmentShape> {
  return {
    departmentid: String(department.id),
    name: department.name,
    patientdepartmentname: department.patientDepartmentName ?? undefined,
    ...toAddress(department),
    phone: writePhone(department.phone) ?? undefined,
    fax: writePhone(department.fax) ?? undefined,
    portalurl: department.portalUrl ?? undefined,
    clinicals: department.clinicals,
    chartsharinggroupid: department.chartSharingGroupId?.toString(),
    communicatorbrandid: department.communicatorBrandId?.toString(),
    providergroupid: department.providerGroupId?.toString(),
    providergroupname: department.providerGroup?.name,
    placeofservicetypeid: department.placeOfServiceTypeId ?? undefined,
    placeofservicetypename: department.placeOfServiceTypeName ?? undefined,
    placeofservicefacility: department.placeOfServiceFacility,
    singleappointmentcontractmax: dollars(department.singleAppointmentContractMax),
    oneyearcontractmax: dollars(department.oneYearContractMax),
    timezone: department.offsets.today,
    timezonename: department.timeZone,
    timezoneoffset: department.offsets.standard,
    doesnotobservedst: !department.offsets.observesDaylightSaving,
    creditcardtypes: department.creditCardTypes,
    ecommercecreditcardtypes: department.ecommerceCreditCardTypes.length > 0 ? department.ecommerceCreditCardTypes : undefined,
    medicationhistoryconsent: department.medicationHistoryConsent,
    ishospitaldepartment: department.isHospitalDepartment,
    servicedepartment: department.isServiceDepartment,
    providerlist: department.providerIds?.map(String),
  };
}

const toAddress = ({ address1, address2, city, state, zip, latitude, longitude }: Department) => ({
  address: [address1, address2].filter(Boolean).join(', ') || undefined,
  city: city ?? undefined,
  state: state ?? undefined,
  zip: zip ?? undefined,
  latitude: latitude?.toString(),
  longitude: longitude?.toString(),
});

/** An amount in dollars: without decimals where it has no cents, else with two. */
const dollars = (value: Department['oneYearContractMax']) => (value?.isInteger() ? value.toFixed(0) : value?.toFixed(2));
