import { type Keyring, KeyringError } from '../../../database/encryption/keyring.ts';
import { invalid } from '../../errors.ts';
import { readSsn } from '../../patients/record/ssn.ts';

/** A number of social security in a report: it opens in an import of the same practice, and nowhere else. */
const SEALED = /^sealed:/;
const PURPOSE = 'import-report';
/** Fields that a report shows sealed, and that open such a cell. */
export const SECRETS: readonly string[] = ['ssn', 'guarantorSsn'];

/** Seals the secrets of a practice's rows for reports, and opens them in the report that is sent again. */
export interface CellSealing {
  /** A cell that is sealed already, empty or no text stays. */
  seal(cell: unknown): unknown;
  /** Seals a cell of any column that has the form of a number of social security, also within an object or a list. */
  sealSsn(cell: unknown): unknown;
  /** @throws Failure invalid for a value of another practice, one that was altered, one whose key is gone, or in a field of no such number */
  open(cell: unknown, field: string): unknown;
}

export function cellSealing(keyring: Keyring, organizationId: number): CellSealing {
  const cell = { table: 'import_report_row', column: 'row', organizationId, row: 'ssn' };
  const seal = (sent: unknown) => {
    const text = typeof sent === 'number' ? String(sent) : sent;
    return typeof text !== 'string' || text.trim() === '' || SEALED.test(text) ? sent : `sealed:${keyring.encrypt(PURPOSE, text, cell)}`;
  };
  const sealSsn = (sent: unknown): unknown => {
    if (Array.isArray(sent)) return sent.map(sealSsn);
    if (typeof sent === 'object' && sent !== null)
      return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, sealSsn(value)]));
    return (typeof sent === 'string' || typeof sent === 'number') && readSsn(String(sent)) !== null ? seal(sent) : sent;
  };
  return {
    seal,
    sealSsn,
    open(sent, field) {
      if (typeof sent !== 'string' || !SEALED.test(sent)) return sent;
      if (!SECRETS.includes(field)) throw invalid(field, 'was sealed because it has nine digits: enter it as in the original file');
      try {
        return keyring.decrypt(PURPOSE, sent.replace(SEALED, '').trim(), cell);
      } catch (error) {
        if (!(error instanceof KeyringError)) throw error;
        throw invalid(field, 'has a sealed number that was altered or is from another practice: enter the nine digits');
      }
    },
  };
}
