import { z } from 'zod';
import { findCountry } from '../../../../domain/code-sets/countries.ts';
import { invalid } from '../../../../domain/errors.ts';
import { PATIENT_LIMITS } from '../../../../domain/patients/field-limits.ts';
import type { InsuranceInput } from '../../../../domain/patients/record/insurances.ts';
import type { InsuredField, InsuredInput } from '../../../../domain/patients/record/insured-person.ts';
import type { InsuranceRow, NamedPackage } from '../../../../domain/patients/record/record-sections.sql.ts';
import { writeDay } from '../../../../domain/values/time/time.ts';
import { COUNTRY, line } from '../../../../http/wire/chart-types.ts';
import { birthDay, id, integerBetween, optional, reading, renameFields, state, text, zip } from '../../../../http/wire/wire-types.ts';
import { pageLinkShapes, paging } from '../../paging.ts';
import { option } from '../../parameters.ts';
import { patientParams } from '../patient.wire.ts';
import { givenUsDay, usDayField } from '../record/patient-form.wire.ts';
import { fromInsurance, insuranceShape, PERSON_NAMES } from '../record/patient-sections.wire.ts';

type Written = z.ZodType<string | null | undefined>;
const country = (part: 'alpha2' | 'alpha3') =>
  optional(
    text(100)
      .transform(reading((sent) => findCountry(sent)?.[part] ?? null, 'must be an ISO 3166-1 code such as USA or US'))
      .meta({ pattern: COUNTRY }),
  );

/** The shape of each field of a policy holder or an insured. */
const PERSON_SHAPES: Readonly<Record<InsuredField, Written>> = {
  firstName: line(),
  middleName: line(),
  lastName: line(),
  suffix: line(),
  birthDate: optional(birthDay(givenUsDay()).transform((day) => writeDay(day))).meta({ pattern: '^\\d{1,2}/\\d{1,2}/\\d{4}$' }),
  sex: optional(z.enum(['M', 'F'])),
  address1: optional(text(PATIENT_LIMITS.addressLine)),
  address2: optional(text(PATIENT_LIMITS.addressLine)),
  city: optional(text(PATIENT_LIMITS.city)),
  state: optional(state()),
  zip: optional(zip()),
  countryCode: country('alpha3'),
  countryCode3166: country('alpha2'),
};

type Prefix = 'insurancepolicyholder' | 'insured';
const FIELDS = Object.entries(PERSON_NAMES);

const personShapes = (prefix: Prefix) =>
  Object.fromEntries(
    Object.entries(PERSON_SHAPES).map(([field, shape]) => {
      const name = FIELDS.find(([one]) => one === field)?.[1] ?? field;
      return [`${prefix}${name}`, shape.describe(`${name} of the ${prefix === 'insured' ? 'insured' : 'policy holder'}`)];
    }),
  );

const place = () => optional(integerBetween(1, 99).meta({ format: 'int32' }));
const follows = (what: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'string', description: `Read-only; accepted only unchanged: ${what}` });

const fields = {
  insurancepackageid: optional(id()).describe('Id of the payer’s plan; GET /insurancepackages finds it'),
  insuranceidnumber: optional(text(50)).describe('Member id'),
  insuranceplanname: optional(text(200)).describe('Name of the plan; required for a package unknown to the practice'),
  insurancetype: line().describe('Type of the insurance, such as Commercial or Medicare Part B'),
  ircname: line().describe('Insurance reporting category'),
  policynumber: optional(text(50)).describe('Group number'),
  relationshiptoinsured: optional(text(50)).describe('Relationship of the patient to the insured, such as Self or Spouse'),
  relationshiptoinsuredid: optional(id()).describe('Code of the relationship; 1 means the patient'),
  eligibilitystatus: optional(z.enum(['Eligible', 'Ineligible', 'Unverified'])).describe('Result of the last eligibility check'),
  eligibilityreason: optional(text(200)).describe('Reason for that result'),
  eligibilitylastchecked: usDayField(),
  issuedate: usDayField(),
  expirationdate: usDayField(),
  insuranceid: follows('the id of the insurance'),
  insurancepolicyholder: follows('from the names of the policy holder'),
  cancelled: follows('DELETE cancels'),
  ...personShapes('insurancepolicyholder'),
  ...personShapes('insured'),
};

export const InsuranceForm = z
  .object({ ...fields, sequencenumber: place().describe('Sequence number: 1 is primary; by default the next free one') })
  .meta({ id: 'InsuranceCreate' });

const newsequencenumber = place().describe('New sequence number; 409 if another insurance has it');

export const InsuranceUpdateForm = z
  .object({ ...fields, newsequencenumber, sequencenumber: place().describe('As newsequencenumber') })
  .meta({ id: 'InsuranceUpdate' });

export const InsuranceUpdateByPlaceForm = z
  .object({
    ...fields,
    newsequencenumber,
    sequencenumber: integerBetween(1, 99).meta({ format: 'int32' }).describe('Sequence number of the insurance: 1 is primary'),
  })
  .meta({ id: 'InsuranceUpdateByPlace' });

export const CancellationForm = z
  .object({ cancellationnote: optional(text(500)).describe('Ignored') })
  .meta({ id: 'InsuranceCancellation' });

export const CancellationByPlaceForm = CancellationForm.extend({
  sequencenumber: integerBetween(1, 99).meta({ format: 'int32' }).describe('Sequence number of the insurance: 1 is primary'),
}).meta({ id: 'InsuranceCancellationByPlace' });

export const listCancellationFields = ({ cancellationnote }: z.output<typeof CancellationForm>): string[] =>
  cancellationnote ? ['cancellationnote'] : [];

export const ReactivationForm = z.object({ expirationdate: usDayField() }).meta({ id: 'InsuranceReactivation' });

export const insuranceParams = patientParams.extend({ insuranceId: id().describe('Insurance id') });

export const insurancesQuery = z.object({
  departmentid: optional(id()).describe('Has no effect: insurances belong to the whole chart'),
  showcancelled: option().describe('Include cancelled insurances'),
  ...paging,
});

export const InsuranceList = z.strictObject({
  totalcount: z.int().describe('Number of insurances in the whole list'),
  ...pageLinkShapes,
  insurances: z.array(insuranceShape).describe('The insurances of this page, primary first'),
});

export const packagesQuery = z.object({
  insuranceplanname: optional(text(200)).describe('Part of the name of the plan'),
  memberid: optional(text(50)).describe('Has no effect: packages are searched by name only'),
  stateofcoverage: optional(state()).describe('Has no effect: packages are searched by name only'),
  ...paging,
});

export const PackageList = z.strictObject({
  totalcount: z.int().describe('Number of packages in the whole list'),
  ...pageLinkShapes,
  insurancepackages: z
    .array(
      z
        .strictObject({
          insurancepackageid: z.int().describe('Id of the payer’s plan'),
          insuranceplanname: z.string().describe('Name of the plan'),
          insurancetype: z.string().optional().describe('Type of the insurance'),
          ircname: z.string().optional().describe('Insurance reporting category'),
        })
        .meta({ id: 'InsurancePackage' }),
    )
    .describe('The packages of this page, sorted by name'),
});

export const fromPackage = ({ id: insurancepackageid, planName, type, ircName }: NamedPackage) => ({
  insurancepackageid,
  insuranceplanname: planName,
  insurancetype: type ?? undefined,
  ircname: ircName ?? undefined,
});

export const INSURANCE_NAMES = {
  insurancePackageId: 'insurancepackageid',
  idNumber: 'insuranceidnumber',
  planName: 'insuranceplanname',
  type: 'insurancetype',
  ircName: 'ircname',
  groupNumber: 'policynumber',
  relationshipToInsured: 'relationshiptoinsured',
  relationshipToInsuredId: 'relationshiptoinsuredid',
  eligibilityStatus: 'eligibilitystatus',
  eligibilityReason: 'eligibilityreason',
  eligibilityCheckedOn: 'eligibilitylastchecked',
  issuedOn: 'issuedate',
  expiresOn: 'expirationdate',
} as const;

type InsuranceFields = Omit<z.output<typeof InsuranceForm>, 'sequencenumber'>;

/** @param place a place that the insurance is to get */
export function toInsurance(form: InsuranceFields, sequenceNumber: number | null | undefined): InsuranceInput {
  const [holder, insured] = [toPerson(form, 'insurancepolicyholder'), toPerson(form, 'insured')];
  return {
    ...renameFields(form, INSURANCE_NAMES),
    planName: form.insuranceplanname ?? undefined,
    sequenceNumber: sequenceNumber ?? undefined,
    ...(holder ? { holder } : {}),
    ...(insured ? { insured } : {}),
  };
}

/** The fields of a person that a form has; undefined where it has none. */
function toPerson(form: Readonly<Record<string, unknown>>, prefix: Prefix): InsuredInput | undefined {
  const given = FIELDS.flatMap(([field, name]) => {
    const value = form[`${prefix}${name}`];
    return typeof value === 'string' || value === null ? [[field, value] as const] : [];
  });
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

/** @throws Failure invalid for a field that follows from others and is shown otherwise */
export function requireShownInsurance(form: Readonly<Record<string, unknown>>, row: InsuranceRow): z.input<typeof insuranceShape> {
  const shown = fromInsurance(row);
  for (const name of ['insuranceid', 'insurancepolicyholder', 'cancelled'] as const)
    if (form[name] !== undefined && form[name] !== '' && String(form[name]) !== shown[name])
      throw invalid(name, 'is derived: send it only with the value that the record shows', 'follows_from_others');
  return shown;
}
