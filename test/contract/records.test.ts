import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { APPOINTMENT, BOOKING } from '../../src/records/appointment.ts';
import { PATIENT } from '../../src/records/patient.ts';

const SRC = join(import.meta.dirname, '../../src');

/** Lines that name a field at most: its row, and a line of the response of each API. */
const MOST = 4;

/** Files that declare, rename or list the fields of a chart. */
const OF_PATIENT =
  /^(records\/patient|domain\/(patients\/(chart|record|registration|search)|events\/patient|exports|imports\/kinds\/patient)|apis\/(integration\/patient|mobile\/people\/patient|practice\/patients\/(record|search)))/;

const RULE = 'rules of registration, of possible matches and of searches name it';
const KIND = 'the kind of the same name is read and shown in several forms';
const OTHER = 'other records and settings have a field of this name';

/** Fields of a patient that more lines name, each with the reason. */
const MORE_OF_PATIENT: Readonly<Record<string, string>> = {
  status: OTHER,
  medicalRecordNo: 'other systems refer to charts by it',
  externalId: 'other systems refer to charts by it',
  firstName: RULE,
  lastName: RULE,
  sex: KIND,
  birthDate: RULE,
  maritalStatus: KIND,
  races: 'it is a list, which is joined in the record and split in requests',
  address1: 'the address may be a string in the integration API, and insured persons have one',
  address2: 'the address may be a string in the integration API, and insured persons have one',
  city: KIND,
  state: KIND,
  zip: KIND,
  mobilePhone: RULE,
  email: KIND,
  timeZone: OTHER,
  doNotSms: 'a STOP of the number sets it too, and the practice API has its opposite',
  homebound: 'the practice API has a second name for it',
  primaryOfficeId: 'imports find the office by its name',
  primaryProviderId: 'imports find the provider by its name',
  locationId: 'imports find the location by its name',
  flags: 'it is a list, in which requests may repeat a flag',
};

/** Files that do the same for an appointment. */
const OF_APPOINTMENT =
  /^(records\/appointment|domain\/(scheduling\/(appointment\/(appointments|booking)|booking\/(appointment|book|following|participants))|events\/(scheduling|dialect)|imports\/kinds\/appointments)|apis\/(integration\/appointments|mobile\/scheduling\/appointments\/appointments|practice\/appointments\/appointment))/;

const REQUEST = 'requests and imports name it beside the records that they show, and events of other records name such a field too';
const TIME = 'the rules of overlapping visits name it';

const MORE_OF_APPOINTMENT: Readonly<Record<string, string>> = {
  patientId: REQUEST,
  providerId: REQUEST,
  typeId: REQUEST,
  officeId: REQUEST,
  locationId: REQUEST,
  waitingRoomId: REQUEST,
  timeZone: REQUEST,
  durationMinutes: REQUEST,
  startsAt: TIME,
  endsAt: TIME,
  status: 'each step of a visit has an event that names it',
  confirmation: 'the answer, its time and who gave it are one field of each API',
};

/** Lines where a field is a key, or is named in quotation marks; one that reads its value is a rule. */
function countLines(files: RegExp): (field: string) => number {
  const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && files.test(file));
  const lines = paths.flatMap((file) => readFileSync(join(SRC, file), 'utf8').split('\n')).filter((line) => !/^\s*(\/\/|\/?\*)/.test(line));
  return (field) => {
    const names = new RegExp(`^\\s*${field}\\??: |['"]${field}['"]`);
    return lines.filter((line) => names.test(line)).length;
  };
}

it.each([
  { record: 'a patient', fields: PATIENT, files: OF_PATIENT, more: MORE_OF_PATIENT },
  { record: 'an appointment', fields: { ...APPOINTMENT, ...BOOKING }, files: OF_APPOINTMENT, more: MORE_OF_APPOINTMENT },
])('names each field of $record in its row, and at most once for each API that shows it', ({ fields, files, more }) => {
  const count = countLines(files);
  const often = Object.keys(fields).filter((field) => count(field) > MOST);
  expect(often.toSorted()).toEqual(Object.keys(more).toSorted());
});
