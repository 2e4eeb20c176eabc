import { decryptIn, ENCRYPTED, type EncryptedColumn, encryptIn, type RowOfValue } from '../../../database/encryption/encrypted-columns.ts';
import { type Keyring, KeyringError } from '../../../database/encryption/keyring.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { holdChart, recordChartChange } from '../chart/chart.ts';

/** Purpose under which social security numbers are hashed (see keyring.ts). */
const HASH_PURPOSE = 'ssn-hash';

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

/** @param chart the patient for whose row it is encrypted @param ssn nine digits */
export const sealSsn = (keyring: Keyring, chart: RowOfValue, ssn: string): SealedSsn => seal(keyring, ENCRYPTED.ssn, chart, ssn);

/** The same for the guarantor of a patient. */
export const sealGuarantorSsn = (keyring: Keyring, chart: RowOfValue, ssn: string): SealedSsn =>
  seal(keyring, ENCRYPTED.guarantorSsn, chart, ssn);

const seal = (keyring: Keyring, column: EncryptedColumn, chart: RowOfValue, ssn: string): SealedSsn => ({
  encrypted: encryptIn(keyring, column, chart, ssn),
  hash: ssnHash(keyring, ssn),
  lastFour: ssn.slice(-4),
});

/** The numbers of a chart, of nine digits. */
export type Ssns = { [field in 'ssn' | 'guarantorSsn']?: string | null | undefined };

/** The columns of a new chart with these numbers, as JSON has them. */
export function sealColumns(keyring: Keyring, chart: RowOfValue, numbers: Ssns) {
  const [own, guarantors] = [
    numbers.ssn ? sealSsn(keyring, chart, numbers.ssn) : null,
    numbers.guarantorSsn ? sealGuarantorSsn(keyring, chart, numbers.guarantorSsn) : null,
  ];
  return {
    ssn_encrypted: own?.encrypted,
    ssn_hash: own && `\\x${Buffer.from(own.hash).toString('hex')}`,
    ssn_last_four: own?.lastFour,
    guarantor_ssn_encrypted: guarantors?.encrypted,
    guarantor_ssn_last_four: guarantors?.lastFour,
  };
}

/**
 * The nine digits of a stored number.
 * @throws KeyringError when it was altered, is of another chart, or its master key is gone
 */
export const revealSsn = (keyring: Keyring, chart: RowOfValue, encrypted: string): string =>
  decryptIn(keyring, ENCRYPTED.ssn, chart, encrypted);

/** The same for a guarantor's. */
export const revealGuarantorSsn = (keyring: Keyring, chart: RowOfValue, encrypted: string): string =>
  decryptIn(keyring, ENCRYPTED.guarantorSsn, chart, encrypted);

/** @param keyId of the master key, if not the current one */
export function ssnHash(keyring: Keyring, ssn: string, keyId?: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(keyring.mac(HASH_PURPOSE, ssn, keyId));
}

/** The hashes of a number under all master keys, one of which a chart with the number has. @param ssn nine digits */
export const ssnHashes = (keyring: Keyring, ssn: string): Uint8Array<ArrayBuffer>[] => keyring.ids.map((id) => ssnHash(keyring, ssn, id));

/** Most charts that one number finds; usually one and its copies. */
const MAX_FOUND = 100;

/**
 * The patients with a number, by id, under any master key; deleted ones are left out.
 * @throws Failure invalid for a text that is no social security number
 */
export async function findPatientsBySsn(tx: Tx, keyring: Keyring, ssn: string): Promise<Patient[]> {
  const number = requireSsn(ssn);
  const patients = await tx.prisma.patient.findMany({
    where: {
      ...tx.practice,
      ssnHash: { in: ssnHashes(keyring, number) },
      status: { not: 'deleted' },
    },
    orderBy: { id: 'asc' },
    take: MAX_FOUND,
  });
  recordRead(
    tx,
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
export async function setSsn(tx: Tx, keyring: Keyring, patientId: number, ssn: string | null): Promise<void> {
  const number = ssn === null ? null : requireSsn(ssn);
  const { ssnEncrypted } = await holdChart(tx, patientId);
  const chart = { ...tx.practice, row: patientId };
  if (isStored(ssnEncrypted, number, (encrypted) => revealSsn(keyring, chart, encrypted))) return recordRead(tx, 'patient', [patientId]);
  const sealed = number === null ? null : sealSsn(keyring, chart, number);
  await tx.prisma.patient.update({
    where: tx.key(patientId),
    data: { ssnEncrypted: sealed?.encrypted ?? null, ssnHash: sealed?.hash ?? null, ssnLastFour: sealed?.lastFour ?? null },
    select: { id: true },
  });
  recordChartChange(tx, patientId, 'ssn');
}

/** The same for the guarantor. Nothing searches for this number, so it has no hash. */
export async function setGuarantorSsn(tx: Tx, keyring: Keyring, patientId: number, ssn: string | null): Promise<void> {
  const number = ssn === null ? null : requireSsn(ssn);
  const { guarantorSsnEncrypted } = await holdChart(tx, patientId);
  const chart = { ...tx.practice, row: patientId };
  if (isStored(guarantorSsnEncrypted, number, (encrypted) => revealGuarantorSsn(keyring, chart, encrypted)))
    return recordRead(tx, 'patient', [patientId]);
  const sealed = number === null ? null : sealGuarantorSsn(keyring, chart, number);
  await tx.prisma.patient.update({
    where: tx.key(patientId),
    data: { guarantorSsnEncrypted: sealed?.encrypted ?? null, guarantorSsnLastFour: sealed?.lastFour ?? null },
    select: { id: true },
  });
  recordChartChange(tx, patientId, 'guarantorSsn');
}

/** The message must not repeat the number. */
function requireSsn(ssn: string): string {
  const number = readSsn(ssn);
  if (number === null) throw invalid('ssn', 'must be the nine digits of a social security number, with or without hyphens', 'invalid_ssn');
  return number;
}

/** A stored number that cannot be decrypted any more counts as another one, and is written anew. */
function isStored(encrypted: string | null, number: string | null, reveal: (encrypted: string) => string): boolean {
  if (encrypted === null || number === null) return encrypted === number;
  try {
    return reveal(encrypted) === number;
  } catch (error) {
    if (error instanceof KeyringError) return false;
    throw error;
  }
}
