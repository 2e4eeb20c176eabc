import { countryOf } from '../../code-sets/countries.ts';
import { invalid } from '../../errors.ts';
import { withGuarantorAddress } from '../record/guarantor-address.ts';
import type { PatientFields, PatientInput } from './chart-fields.sql.ts';

/** A country in both of its codes: three letters, and the two of ISO 3166-1. */
const COUNTRIES = [
  ['countryCode', 'countryCode3166'],
  ['guarantorCountryCode', 'guarantorCountryCode3166'],
] as const;

/**
 * An input whose fields agree with one another and with the chart: one country in both codes, and the guarantor's address in one place.
 * @throws Failure invalid for two countries of one address, and as withGuarantorAddress
 */
export function makeConsistent(chart: PatientFields, input: PatientInput): PatientInput {
  return withGuarantorAddress(chart, COUNTRIES.reduce(withOneCountry, input));
}

function withOneCountry(input: PatientInput, [long, short]: (typeof COUNTRIES)[number]): PatientInput {
  const [one, other] = [input[long], input[short]];
  if (one === undefined && other === undefined) return input;
  const countries = new Set([one, other].flatMap((code) => (code ? [countryOf(code)] : [])));
  if (countries.size > 1) throw invalid(short, 'is another country', 'contradiction');
  const [country = null] = countries;
  return { ...input, [long]: country?.alpha3 ?? null, [short]: country?.alpha2 ?? null };
}
