import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import { recordRead } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { invalid } from '../errors.ts';
import type { EncryptedColumn } from '../security/key-renewal.ts';
import { holdChart, recordChartChange } from './chart.ts';
import type { Patient } from './registration.ts';

/** Purposes under which social security numbers are encrypted and hashed (see keyring.ts). */
const SSN_PURPOSE = 'ssn';
const HASH_PURPOSE = 'ssn-hash';

/** Columns whose values are encrypted again under a new master key. */
export const SSN_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'patient', column: 'ssn_encrypted', purpose: SSN_PURPOSE, hash: { column: 'ssn_hash', of: ssnHash } },
  { table: 'patient', column: 'guarantor_ssn_encrypted', purpose: SSN_PURPOSE },
];

/** A social security number as it is stored. */
export interface SealedSsn {
  /** Ciphertext that names its master key. */
  encrypted: string;
  /** HMAC under the same master key, equal for equal numbers, for searches. */
  hash: Uint8Array<ArrayBuffer>;
  /** The digits that a masked number shows. */
  lastFour: string;
}

/**
 * The nine digits of a social security number that could be issued, written with both hyphens or none; else null. No area
 * is 000, 666 or from 900, no group 00, no serial 0000 (Social Security Administration, since 2011).
 */
export function readSsn(text: string): string | null {
  const [, area = '', , group = '', serial = ''] = /^(\d{3})(-?)(\d{2})\2(\d{4})$/.exec(text.trim()) ?? [];
  const issued = area !== '' && area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';
  return issued ? `${area}${group}${serial}` : null;
}

/** @param ssn nine digits */
export function sealSsn(keyring: Keyring, ssn: string): SealedSsn {
  return { encrypted: keyring.encrypt(SSN_PURPOSE, ssn), hash: ssnHash(keyring, ssn), lastFour: ssn.slice(-4) };
}

/**
 * The nine digits of a stored number.
 * @throws KeyringError when it was altered, or its master key is gone
 */
export function revealSsn(keyring: Keyring, encrypted: string): string {
  return keyring.decrypt(SSN_PURPOSE, encrypted);
}

/** @param keyId of the master key, if not the current one */
export function ssnHash(keyring: Keyring, ssn: string, keyId?: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(keyring.mac(HASH_PURPOSE, ssn, keyId));
}

/** Most charts that one number finds; usually one and its copies. */
const MAX_FOUND = 100;

/**
 * The patients with a number, by id, under any master key; deleted ones are left out.
 * @throws Failure invalid for a text that is no social security number
 */
export async function findPatientsBySsn(db: Db, keyring: Keyring, caller: Caller, ssn: string): Promise<Patient[]> {
  const number = checked(ssn);
  const patients = await db.patient.findMany({
    where: {
      organizationId: caller.organizationId,
      ssnHash: { in: keyring.ids.map((id) => ssnHash(keyring, number, id)) },
      status: { not: 'deleted' },
    },
    orderBy: { id: 'asc' },
    take: MAX_FOUND,
  });
  recordRead(
    caller,
    'patient',
    patients.map(({ id }) => id),
    'search',
  );
  return patients;
}

/**
 * Sets or clears a patient's number; nothing is written where it is the same.
 * @throws Failure invalid for a text that is no social security number, not_found for another practice's patient
 */
export async function setSsn(db: Db, keyring: Keyring, caller: Caller, patientId: number, ssn: string | null): Promise<void> {
  const number = ssn === null ? null : checked(ssn);
  const { ssnEncrypted } = await holdChart(db, caller, patientId);
  if (isStored(keyring, ssnEncrypted, number)) return recordRead(caller, 'patient', [patientId]);
  const sealed = number === null ? null : sealSsn(keyring, number);
  await db.patient.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id: patientId } },
    data: { ssnEncrypted: sealed?.encrypted ?? null, ssnHash: sealed?.hash ?? null, ssnLastFour: sealed?.lastFour ?? null },
    select: { id: true },
  });
  recordChartChange(caller, patientId, 'ssn');
}

/** The same for the guarantor. Nothing searches for this number, so it has no hash. */
export async function setGuarantorSsn(db: Db, keyring: Keyring, caller: Caller, patientId: number, ssn: string | null): Promise<void> {
  const number = ssn === null ? null : checked(ssn);
  const { guarantorSsnEncrypted } = await holdChart(db, caller, patientId);
  if (isStored(keyring, guarantorSsnEncrypted, number)) return recordRead(caller, 'patient', [patientId]);
  const sealed = number === null ? null : sealSsn(keyring, number);
  await db.patient.update({
    where: { organizationId_id: { organizationId: caller.organizationId, id: patientId } },
    data: { guarantorSsnEncrypted: sealed?.encrypted ?? null, guarantorSsnLastFour: sealed?.lastFour ?? null },
    select: { id: true },
  });
  recordChartChange(caller, patientId, 'guarantorSsn');
}

/** The message must not repeat the number. */
function checked(ssn: string): string {
  const number = readSsn(ssn);
  if (number === null) throw invalid('ssn', 'must be the nine digits of a social security number, with or without hyphens', 'invalid_ssn');
  return number;
}

/** A stored number that cannot be decrypted any more counts as another one, and is written anew. */
function isStored(keyring: Keyring, encrypted: string | null, number: string | null): boolean {
  if (encrypted === null || number === null) return encrypted === number;
  try {
    return revealSsn(keyring, encrypted) === number;
  } catch (error) {
    if (error instanceof KeyringError) return false;
    throw error;
  }
}
