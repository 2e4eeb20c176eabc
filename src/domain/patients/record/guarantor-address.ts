import { invalid } from '../../errors.ts';
import type { PatientFields, PatientInput } from '../chart/chart-fields.sql.ts';

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
type Own = (typeof PARTS)[number][1];

/** A guarantor's address; absent parts are as they were. */
type GuarantorAddress = { [K in Guarantor]?: string | null };

const NO_ADDRESS: GuarantorAddress = Object.fromEntries(PARTS.map(([part]) => [part, null]));

/**
 * The input with the guarantor's address in one place: while it is the patient's, no copy of it is stored, and records show
 * the patient's own. Another address ends that, and keeps the parts of the patient's that it does not name.
 * @throws Failure invalid for another address together with the statement that it is the patient's
 */
export function withGuarantorAddress(before: PatientFields, input: PatientInput): PatientInput {
  const { guarantorAddressSameAsPatient: same } = input;
  const given: GuarantorAddress = Object.fromEntries(PARTS.flatMap(([part]) => (input[part] === undefined ? [] : [[part, input[part]]])));
  if (same === undefined && Object.keys(given).length === 0) return input;
  const wasSame = before.guarantorAddressSameAsPatient === true;
  const shown: GuarantorAddress = Object.fromEntries(
    PARTS.map(([part, own]) => [part, wasSame ? patientsOwn(before, input, own) : before[part]]),
  );
  // Sent back as it was read, it moves with the patient.
  const isRead = (value: string | null, own: Own) => wasSame && value === before[own];
  const isOther = PARTS.some(([part, own]) => {
    const value = given[part];
    return value !== undefined && value !== patientsOwn(before, input, own) && !isRead(value, own);
  });
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
const patientsOwn = (before: PatientFields, input: PatientInput, own: Own): string | null =>
  input[own] === undefined ? before[own] : input[own];
