import { type Keyring, KeyringError } from '../../../database/encryption/keyring.ts';
import { invalid } from '../../errors.ts';
import { readSsn } from '../../patients/record/ssn.ts';

/** A number of social security in a report: it opens in an import of the same practice, and nowhere else. */
const SEALED = /^sealed:/;
const PURPOSE = 'import-report';

/** Seals the secrets of a practice's rows for reports, and opens them in the report that is sent again. */
export interface CellSealing {
  /** A cell that is sealed already, empty or no text stays. */
  seal(cell: unknown): unknown;
  /** Seals a cell of any column that holds a number of social security. */
  sealSsn(cell: unknown): unknown;
  /** @throws Failure invalid for a value of another practice, one that was altered, or one whose key is gone */
  open(cell: unknown, field: string): unknown;
}

export function cellSealing(keyring: Keyring, organizationId: number): CellSealing {
  const cell = { table: 'import_report_row', column: 'row', organizationId, row: 'ssn' };
  const seal = (sent: unknown) => {
    const text = typeof sent === 'number' ? String(sent) : sent;
    return typeof text !== 'string' || text.trim() === '' || SEALED.test(text) ? sent : `sealed:${keyring.encrypt(PURPOSE, text, cell)}`;
  };
  return {
    seal,
    sealSsn: (sent) => (typeof sent === 'string' && readSsn(sent) !== null ? seal(sent) : sent),
    open(sent, field) {
      if (typeof sent !== 'string' || !SEALED.test(sent)) return sent;
      try {
        return keyring.decrypt(PURPOSE, sent.replace(SEALED, '').trim(), cell);
      } catch (error) {
        if (!(error instanceof KeyringError)) throw error;
        throw invalid(field, 'has a sealed number that was altered or is from another practice: enter the nine digits');
      }
    },
  };
}
