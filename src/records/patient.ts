import { ADDRESS, CONTACT } from './patient/contact.ts';
import { OF_PRACTICE } from './patient/of-practice.ts';
import { GUARANTOR, OTHERS, WORK } from './patient/others.ts';
import { PERSON } from './patient/person.ts';

/** Fields of a chart that an API or an import may set, in the order of exports. */
export const PATIENT = { ...PERSON, ...ADDRESS, ...CONTACT, ...OTHERS, ...GUARANTOR, ...WORK, ...OF_PRACTICE } as const;

type AddressPart = keyof typeof ADDRESS;
type GuarantorPart = `guarantor${Capitalize<AddressPart>}`;

/** The parts of the guarantor's address, each with the part of the patient's address that applies while they share one. */
export const GUARANTOR_ADDRESS = pairParts();

function pairParts(): readonly (readonly [GuarantorPart, AddressPart])[];
function pairParts(): readonly (readonly [string, string])[] {
  return Object.keys(ADDRESS).map((part) => [`guarantor${part.slice(0, 1).toUpperCase()}${part.slice(1)}`, part]);
}
