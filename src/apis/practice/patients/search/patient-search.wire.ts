import { z } from 'zod';
import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { PATIENT_LIMITS } from '../../../../domain/patients/field-limits.ts';
import { readSsn, ssnHashes } from '../../../../domain/patients/record/ssn.ts';
import { type ChartFilter, type ChartFilterField, isFilterField } from '../../../../domain/patients/search/chart-filters.sql.ts';
import type { FoundPatients, PatientQuery } from '../../../../domain/patients/search/search.ts';
import { writeDay } from '../../../../domain/values/time/time.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { count, id, optional, phone, position, reading, state, text, zip } from '../../../../http/wire/wire-types.ts';
import type { Field, Kind } from '../../../../records/field.ts';
import { PATIENT } from '../../../../records/patient.ts';
import { pageLinkShapes, paging } from '../../paging.ts';
import type { StringTypes } from '../../string-types.wire.ts';
import { givenUsDay } from '../record/patient-form.wire.ts';
import { fromPatientRecord } from '../record/patient-record.wire.ts';

const day = () => givenUsDay().transform((date) => writeDay(date));
const words = () => text(PATIENT_LIMITS.name);
/** A social security number in a query, as its nine digits. */
export const ssnParameter = () =>
  text(11)
    .transform(reading(readSsn, 'must be a social security number: nine digits, with both hyphens or none'))
    .meta({ pattern: '^\\d{3}(-?)\\d{2}\\1\\d{4}$' });

/** The shape of a value of each kind. */
const KINDS = {
  name: words,
  line: words,
  words,
  city: words,
  state,
  zip,
  phone,
  phoneOrDeclined: phone,
  email: words,
  emailOrDeclined: words,
  sex: words,
  maritalStatus: words,
  language: words,
  pastDay: day,
  reference: id,
  employer: id,
};

/** Fields whose kinds can be sought, and which the document does not offer, or in another way. */
const NOT_SOUGHT: readonly string[] = [
  ...['firstname', 'lastname', 'departmentid', 'preferredpronouns', 'contactpreference', 'employerphone'],
  ...['genderidentityother', 'sexualorientationother'],
];

type ChartParameter = readonly [ChartFilterField, z.ZodType<string | number>];

/** Parameters that name a field of the chart, as the record does, or of an appointment: the field in the domain, and the shape of a value. */
const CHART_PARAMETERS: Readonly<Record<string, ChartParameter>> = {
  ...parametersOfChart(),
  ssn: ['ssn', ssnParameter()],
  anyphone: ['anyPhone', phone()],
  status: ['status', z.enum(['active', 'inactive', 'prospective', 'deleted'])],
  anyfirstname: ['anyFirstName', words()],
  appointmentdepartmentid: ['appointmentOfficeId', id()],
  appointmentproviderid: ['appointmentProviderId', id()],
  upcomingappointmenthours: ['appointmentHours', count(24)],
};

function parametersOfChart(): Record<string, ChartParameter> {
  const kinds: Readonly<Partial<Record<Kind, () => z.ZodType<string | number>>>> = KINDS;
  return Object.fromEntries(
    Object.entries<Field>(PATIENT).flatMap(([field, { kind, practice }]) => {
      const shape = kinds[kind]?.();
      return practice && shape && isFilterField(field) && !NOT_SOUGHT.includes(practice)
        ? [[practice, [field, shape] as const] as const]
        : [];
    }),
  );
}

const SPECIAL: Readonly<Record<string, string>> = {
  anyphone: 'The mobile, home or work number of the chart',
  anyfirstname: 'Prefix of the first, preferred or alternative first name',
  ssn: 'Nine digits, with both hyphens or none',
  zip: 'Five digits find nine as well',
  appointmentdepartmentid: 'Patients with an upcoming appointment in this department',
  appointmentproviderid: 'Patients with an upcoming appointment with this provider',
  upcomingappointmenthours: 'Patients with an appointment in the next 1 to 24 hours or the last two hours',
};
const chartShapes = Object.fromEntries(
  Object.entries(CHART_PARAMETERS).map(([name, [, shape]]) => [
    name,
    optional(shape).describe(SPECIAL[name] ?? `Charts with this ${name}`),
  ]),
);

/** The parameters of a patient search. An empty value counts as absent. */
export const searchShape = z.object({
  ...chartShapes,
  departmentid: alsoNamed(optional(id()), 'primarydepartmentid').describe('Primary department'),
  lastname: optional(text(200)).describe('Prefix of the last name, or of a word in it'),
  firstname: optional(text(200)).describe('Prefix of the first name'),
  ...paging,
  ...position,
});

export const patientListShape = ({ patient }: StringTypes) =>
  z.strictObject({
    totalcount: z.int().describe('Number of patients in the whole list'),
    ...pageLinkShapes,
    patients: z.array(patient).describe('The patients of this page'),
  });

type PatientList = z.input<ReturnType<typeof patientListShape>>;
type Search = z.output<typeof searchShape>;

/** @param keyring under whose keys social security numbers are compared */
export const toPatientQuery = (keyring: Keyring, { departmentid, lastname, firstname, ...others }: Search): PatientQuery => ({
  lastName: lastname ?? null,
  firstName: firstname ?? null,
  officeId: departmentid ?? null,
  chart: toChartFilter(keyring, others),
});

function toChartFilter(keyring: Keyring, sent: Readonly<Record<string, string | number | null | undefined>>): ChartFilter {
  const given = Object.entries(sent).flatMap(([name, value]) => {
    const field = CHART_PARAMETERS[name]?.[0];
    return field && value !== null ? [[field, value] as const] : [];
  });
  const { ssn: number, ...others }: ChartFilter = Object.fromEntries(given);
  return { ...others, ...(typeof number === 'string' ? { ssn: ssnHashes(keyring, number) } : {}) };
}

/** @param links the addresses of the pages around this one */
export function fromFoundPatients(
  types: StringTypes,
  { total, records }: FoundPatients,
  links: Pick<PatientList, 'next' | 'previous'>,
): PatientList {
  return { totalcount: total, ...links, patients: records.map((record) => types.write(fromPatientRecord(record))) };
}
