import { type Erasure, TABLES } from '../../generated/tables.ts';

/** The rows of a table that are about a patient. */
export interface PatientTable extends Erasure {
  table: string;
}

/** Every table with rows about a patient, each after those that it is linked to: the lines `/// erasure: …` of prisma/schema. */
export const PATIENT_TABLES: readonly PatientTable[] = TABLES.flatMap(({ name, erasure }) =>
  erasure ? [{ table: name, ...erasure }] : [],
);

/** Columns that no export shows, by name, wherever they are. */
export const LEFT_OUT_COLUMNS: Readonly<Record<string, string>> = {
  organization_id: 'the practice, which is named once',
  ssn_encrypted: 'shown opened, as ssn',
  ssn_hash: 'a hash for searches',
  guarantor_ssn_encrypted: 'shown opened, as guarantor_ssn',
  first_name_folded: 'the name in small letters, for searches',
  last_name_folded: 'the name in small letters, for searches',
  last_key: 'the name in small letters, for searches',
  first_key: 'the name in small letters, for searches',
  link_hash: 'the hash of a secret link',
  guest_link_hash: 'the hash of a secret link',
  code_hash: 'the hash of a code',
  sealed: 'a secret link or a code until it is sent',
  storage_key: 'the place of the file in the store; the file is exported separately',
  connection: 'the mark of a socket',
  tap_key: 'the mark of a button',
  recording_url: 'an address at the carrier',
  carrier_url: 'an address at the carrier',
};
