import type { RowOfValue } from '../../src/database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../src/database/encryption/keyring.ts';
import { sealGuarantorSsn, sealSsn } from '../../src/domain/patients/record/ssn.ts';
import type { PatientRow } from './plan.ts';
import { areaRandom, type Seeding } from './seeding.ts';

/** Apart from those of patients. */
const FIRST_OF_GUARANTORS = 5_000;

/**
 * Social security numbers of about sixty in a hundred, and of some who pay for others: in order from 0101, under the
 * practice's own five digits, so that they are not mistaken for real ones. A patient who is the guarantor has one number.
 */
export function addNumbers(seeding: Seeding, rows: PatientRow[]): void {
  const { plan } = seeding;
  const random = areaRandom(seeding, 'social security');
  const number = (serial: number) => `${plan.ssnPrefix}${String(serial).padStart(4, '0')}`;
  for (const [position, row] of rows.entries()) {
    const [own, payer] = [random.datatype.boolean(0.6), random.datatype.boolean(0.4)];
    const ssn = number(101 + position);
    if (own) row.ssn = ssn;
    const paysAlone = row.guarantorRelationshipToPatient === '1';
    if (row.guarantorRelationshipToPatient && (paysAlone ? own : payer))
      row.guarantorSsn = paysAlone ? ssn : number(FIRST_OF_GUARANTORS + position);
  }
}

/** The row with its numbers encrypted, which open in this row alone. */
export function withSealedNumbers<Row extends PatientRow>(keyring: Keyring, of: RowOfValue, row: Row): Omit<Row, 'ssn' | 'guarantorSsn'> {
  const { ssn, guarantorSsn, ...plain } = row;
  const own = ssn ? sealSsn(keyring, of, ssn) : null;
  const payer = guarantorSsn ? sealGuarantorSsn(keyring, of, guarantorSsn) : null;
  return {
    ...plain,
    ...(own && { ssnEncrypted: own.encrypted, ssnHash: own.hash, ssnLastFour: own.lastFour }),
    ...(payer && { guarantorSsnEncrypted: payer.encrypted, guarantorSsnLastFour: payer.lastFour }),
  };
}
