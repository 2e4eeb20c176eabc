import { z } from 'zod';
import type { Field, Fields } from '../../../records/field.ts';
import { headersOf } from '../../../records/headers.ts';
import { INSURANCE, INSURED, INSURED_PERSON, POLICY_HOLDER } from '../../../records/insurance.ts';
import { ownShapesOf } from '../../../records/shapes.ts';
import { findCountry } from '../../code-sets/countries.ts';
import { PATIENT_LIMITS } from '../../patients/field-limits.ts';
import { addInsurances, type InsuranceInput } from '../../patients/record/insurances.ts';
import type { InsuredInput } from '../../patients/record/insured-person.ts';
import { oneLine } from '../../values/text-form.ts';
import { writeDay } from '../../values/time/time.ts';
import { storeSections } from '../chart-sections.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { choice, count, day, id, optional, pastDay, read, state, text, zip } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const COLUMNS = ownShapesOf(INSURANCE, {
  line: ({ longest = PATIENT_LIMITS.name }: Field) => optional(text(longest)),
  number: () => optional(id()),
  eligibility: () => optional(choice('Eligible', 'Ineligible', 'Unverified')),
  day: () => optional(day()),
});

const line = () => optional(text(PATIENT_LIMITS.name));
const country = (part: 'alpha2' | 'alpha3') =>
  optional(read((sent) => findCountry(oneLine(sent))?.[part] ?? null, 'must be an ISO 3166-1 code such as USA or US'));

const PERSON = {
  ...ownShapesOf(INSURED_PERSON, {
    name: line,
    line,
    pastDay: () => optional(pastDay()).transform((date) => date && writeDay(date)),
    sex: () => optional(choice('M', 'F')),
    city: () => optional(text(PATIENT_LIMITS.city)),
    state: () => optional(state()),
    zip: () => optional(zip()),
    country: () => country('alpha3'),
  }),
  countryCode3166: country('alpha2'),
};

/** By `holderFirstName`, `insuredZip` and so on. */
function withPrefix<P extends string, V extends object>(prefix: P, values: V): { [F in keyof V & string as `${P}${Capitalize<F>}`]: V[F] };
function withPrefix(prefix: string, values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [`${prefix}${field.slice(0, 1).toUpperCase()}${field.slice(1)}`, value]),
  );
}

const namesOfPerson = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([field, { practice }]) => [field, practice ? [practice] : []]));

const cells = z.object({
  ...patientCells,
  sequenceNumber: optional(count(1, 99)),
  ...COLUMNS,
  ...withPrefix('holder', PERSON),
  ...withPrefix('insured', PERSON),
});

export const insurances = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    sequenceNumber: ['sequence'],
    ...headersOf(INSURANCE),
    ...withPrefix('holder', namesOfPerson(POLICY_HOLDER)),
    ...withPrefix('insured', namesOfPerson(INSURED)),
  },
  store: (tx, rows) =>
    storeSections(tx, rows, 'insurances', (round) =>
      addInsurances(
        tx,
        round.map(({ patientId, values, decision }) => ({ patientId, replaces: decision === 'update', input: toInput(values) })),
      ),
    ),
});

type Row = z.output<typeof cells>;

function toInput(row: Row): InsuranceInput {
  const fields = Object.fromEntries(Object.entries(row).filter(([name, value]) => Object.hasOwn(COLUMNS, name) && value !== undefined));
  const insured = toPerson(row, 'insured');
  return {
    ...fields,
    ...(row.sequenceNumber ? { sequenceNumber: row.sequenceNumber } : {}),
    holder: toPerson(row, 'holder'),
    ...(Object.keys(insured).length > 0 ? { insured } : {}),
  };
}

function toPerson(row: Row, prefix: 'holder' | 'insured'): InsuredInput {
  const given = Object.entries(row).filter(([name, value]) => name.startsWith(prefix) && typeof value === 'string');
  return Object.fromEntries(
    given.map(([name, value]) => [`${name.charAt(prefix.length).toLowerCase()}${name.slice(prefix.length + 1)}`, value]),
  );
}
