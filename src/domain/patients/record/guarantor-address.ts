import type { Patient } from '../../../generated/prisma/client.ts';
import { invalid } from '../../errors.ts';
import type { ChartInput } from '../chart/chart-input.ts';

/** Each part of the guarantor's address, and the part of the patient's that stands for it while they live at one address. */
const PARTS = [
  ['guarantorAddress1', 'address1'],
  ['guarantorAddress2', 'address2'],
  ['guarantorCity', 'city'],
  ['guarantorState', 'state'],
  ['guarantorZip', 'zip'],
  ['guarantorCountryCode', 'countryCode'],
  ['guarantorCountryCode3166', 'countryCode3166'],
] as const;

type Guarantor = (typeof PARTS)[number][0];

/** A guarantor's address; absent parts are as they were. */
type GuarantorAddress = { [K in Guarantor]?: string | null };

const NO_ADDRESS: GuarantorAddress = Object.fromEntries(PARTS.map(([part]) => [part, null]));

/**
 * The input with the guarantor's address in one place: while it is the patient's, no copy of it is stored, and records show
 * the patient's own. Another address ends that, and keeps the parts of the patient's that it does not name.
 * @throws Failure invalid for another address together with the statement that it is the patient's
 */
export function withGuarantorAddress(before: Patient, input: ChartInput): ChartInput {
  const { guarantorAddressSameAsPatient: same } = input;
  const given: GuarantorAddress = Object.fromEntries(Object.entries(input).filter(([name]) => PARTS.some(([part]) => part === name)));
  const wasSame = before.guarantorAddressSameAsPatient === true;
  const shown: GuarantorAddress = Object.fromEntries(
    PARTS.map(([part, own]) => [part, wasSame ? patientsOwn(before, input, own) : before[part]]),
  );
  const isOther = PARTS.some(([part, own]) => given[part] !== undefined && given[part] !== patientsOwn(before, input, own));
  if (same === true) {
    if (isOther)
      throw invalid('guarantorAddressSameAsPatient', 'must not be yes together with another address of the guarantor', 'contradiction');
    return { ...input, ...NO_ADDRESS };
  }
  if (!wasSame || (same === undefined && !isOther)) return wasSame ? { ...input, ...NO_ADDRESS } : input;
  const isGiven = Object.keys(given).length > 0;
  return { ...input, ...(isGiven ? { ...shown, ...given } : {}), guarantorAddressSameAsPatient: same ?? false };
}

/** The part of the patient's address after the change. */
function patientsOwn(before: Patient, input: ChartInput, own: (typeof PARTS)[number][1]): string | null {
  if (own === 'countryCode' || own === 'countryCode3166') return input[own] === undefined ? before[own] : input[own];
  return before[own];
}
