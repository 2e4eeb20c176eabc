import { z } from 'zod';
import { findCountry } from '../../../../domain/code-sets/countries.ts';
import { invalid } from '../../../../domain/errors.ts';
import { PATIENT_LIMITS } from '../../../../domain/patients/field-limits.ts';
import type { InsuranceInput } from '../../../../domain/patients/record/insurances.ts';
import type { InsuredInput } from '../../../../domain/patients/record/insured-person.ts';
import type { InsuranceRow, NamedPackage } from '../../../../domain/patients/record/record-sections.sql.ts';
import { writeDay } from '../../../../domain/values/time/time.ts';
import { CHART_KINDS, COUNTRY } from '../../../../http/wire/chart-types.ts';
import { birthDay, id, integerBetween, optional, reading, renameFields, state, text } from '../../../../http/wire/wire-types.ts';
import { type Field, type Fields, namesIn } from '../../../../records/field.ts';
import { INSURANCE, INSURED, POLICY_HOLDER } from '../../../../records/insurance.ts';
import { shapesOf } from '../../../../records/shapes.ts';
import { pageLinkShapes, paging } from '../../paging.ts';
import { option } from '../../parameters.ts';
import { patientParams } from '../patient.wire.ts';
import { givenUsDay, US_DAY_PATTERN, usDayField } from '../record/patient-form.wire.ts';
import { fromInsurance, insuranceShape } from '../record/patient-sections.wire.ts';

const country = (part: 'alpha2' | 'alpha3') =>
  optional(
    text(100)
      .transform(reading((sent) => findCountry(sent)?.[part] ?? null, 'must be an ISO 3166-1 code such as USA or US'))
      .meta({ pattern: COUNTRY }),
  ).describe('ISO 3166-1 code');

const KINDS = {
  ...CHART_KINDS,
  line: ({ longest = PATIENT_LIMITS.name }: Field) => optional(text(longest)),
  number: () => optional(id()),
  eligibility: () => optional(z.enum(['Eligible', 'Ineligible', 'Unverified'])),
  day: usDayField,
  pastDay: () =>
    optional(birthDay(givenUsDay()).transform((day) => writeDay(day))).meta({ pattern: US_DAY_PATTERN, description: 'mm/dd/yyyy' }),
  sex: () => optional(z.enum(['M', 'F'])),
  country: () => country('alpha3'),
};

const place = () => optional(integerBetween(1, 99).meta({ format: 'int32' }));
const follows = (what: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: 'string', description: `Read-only; accepted only unchanged: ${what}` });

export const INSURANCE_NAMES = namesIn(INSURANCE, 'practice');

const fields = {
  ...shapesOf(INSURANCE, INSURANCE_NAMES, KINDS),
  insuranceplanname: optional(text(200)).describe('Name of the plan; required for a package unknown to the practice'),
  insuranceid: follows('the id of the insurance'),
  insurancepolicyholder: follows('from the names of the policy holder'),
  cancelled: follows('DELETE cancels'),
  ...shapesOf(POLICY_HOLDER, namesIn(POLICY_HOLDER, 'practice'), KINDS),
  insurancepolicyholdercountryiso3166: country('alpha2').describe('Country of the policy holder; ISO 3166-1 code'),
  ...shapesOf(INSURED, namesIn(INSURED, 'practice'), KINDS),
  insuredcountryiso3166: country('alpha2').describe('Country of the insured; ISO 3166-1 code'),
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

type InsuranceFields = Omit<z.output<typeof InsuranceForm>, 'sequencenumber'>;

/** @param place a place that the insurance is to get */
export function toInsurance(form: InsuranceFields, sequenceNumber: number | null | undefined): InsuranceInput {
  const [holder, insured] = [toPerson(form, POLICY_HOLDER), toPerson(form, INSURED)];
  return {
    ...renameFields(form, INSURANCE_NAMES),
    planName: form.insuranceplanname ?? undefined,
    sequenceNumber: sequenceNumber ?? undefined,
    ...(holder ? { holder } : {}),
    ...(insured ? { insured } : {}),
  };
}

/** The fields of a person that a form has; undefined where it has none. */
function toPerson(form: Readonly<Record<string, unknown>>, fields: Fields): InsuredInput | undefined {
  const given = Object.entries(fields).flatMap(([field, { practice = field }]) => {
    const value = form[practice];
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
