import type { SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict } from '../../errors.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';

/** Source of an opt-out or opt-in. */
export type ConsentSource = 'text' | 'user' | 'import' | 'carrier';

/** Reasons for which a message to a patient is suppressed. Stored in rows, so the codes are stable. */
export type SuppressionReason = 'patient_gone' | 'deceased' | 'do_not_call' | 'do_not_sms' | 'opted_out';

export interface ConsentRecord {
  /** E.164. */
  number: string;
  /** The words of a text, or a word for what was done. */
  keyword: string;
  source: ConsentSource;
  /** For the source user: the way in which the person said so, and the user who wrote it down. */
  note?: string;
  userId?: number | null;
}

/** Records that a number opted out of the practice's texts. @returns the id of the entry */
export const recordOptOut = (tx: Tx, given: ConsentRecord, patientIds: number[] = []): Promise<number> =>
  record(tx, { ...given, optedOut: true }, patientIds);

/** Records that a number opted in again. @returns the id of the entry */
export const recordOptIn = (tx: Tx, given: ConsentRecord, patientIds: number[] = []): Promise<number> =>
  record(tx, { ...given, optedOut: false }, patientIds);

async function record(tx: Tx, given: ConsentRecord & { optedOut: boolean }, patientIds: number[]): Promise<number> {
  const { id } = await tx.prisma.optOut.create({ data: { ...tx.practice, ...given }, select: { id: true } });
  recordChange(tx, 'create', { name: given.optedOut ? 'consent.revoked' : 'consent.given', id }, patientIds);
  return id;
}

/**
 * Records that a recipient opted out at the carrier, which refused a text for it: once, and not where the history has an entry that is
 * newer than the attempt to send it.
 */
export async function recordCarrierOptOut(
  tx: Tx,
  { toNumber: number, patientId, attemptedAt }: Pick<SmsMessage, 'toNumber' | 'patientId' | 'attemptedAt'>,
): Promise<void> {
  await tx.prisma.$executeRaw`SELECT pg_advisory_xact_lock(consent_lock(${number}))`;
  const newer = { ...tx.practice, number, recordedAt: { gt: attemptedAt ?? new Date(0) } };
  if ((await isOptedOut(tx, number)) || (attemptedAt && (await tx.prisma.optOut.count({ where: newer })) > 0)) return;
  await recordOptOut(tx, { number, keyword: 'refused by the carrier', source: 'carrier' }, patientId === null ? [] : [patientId]);
}

/** Whether the latest entry for a number is an opt-out. */
export async function isOptedOut(tx: Tx, number: string): Promise<boolean> {
  const newest = await tx.prisma.optOut.findFirst({
    where: { ...tx.practice, number },
    orderBy: [{ recordedAt: 'desc' }, { id: 'desc' }],
    select: { optedOut: true },
  });
  return newest?.optedOut === true;
}

/**
 * Finds the reason in the chart, or in that of the guardian, for which a message to a patient must be suppressed. Mail is suppressed only by
 * an objection to all contact.
 */
export async function findSuppressionReason(tx: Tx, patientId: number, channel: 'text' | 'mail'): Promise<SuppressionReason | null> {
  const reach = await findPatientReach(tx, patientId);
  return reach ? objectionIn({ ...reach, doNotSms: channel === 'text' && reach.doNotSms }) : 'patient_gone';
}

export interface ChartConsent {
  /** There is no such chart, or it was deleted. */
  gone: boolean;
  deceased: boolean;
  doNotCall: boolean;
  doNotSms: boolean;
}

/** The reason in a chart for which a text to its patient is suppressed; null for none. */
export function objectionIn({ gone, deceased, doNotCall, doNotSms }: ChartConsent): SuppressionReason | null {
  if (gone) return 'patient_gone';
  if (deceased) return 'deceased';
  if (doNotCall) return 'do_not_call';
  return doNotSms ? 'do_not_sms' : null;
}

/** As requireConsent, of a text whose facts are known. */
export function requireTextConsent(facts: ChartConsent & { stopped: boolean }): void {
  const reason = objectionIn(facts) ?? (facts.stopped ? 'opted_out' : null);
  if (reason !== null) throw conflict(reason, REFUSALS[reason]);
}

/** Somebody to be written to now, at the wish of staff. */
export interface Addressee {
  /** Null for somebody without a chart. */
  patientId: number | null;
  channel: 'sms' | 'email';
  /** E.164, or an email address. */
  to: string;
}

/** Finds the reason for which a text or mail would be suppressed: what the chart says, and for a text what the number said. */
async function findRefusal(tx: Tx, { patientId, channel, to }: Addressee): Promise<SuppressionReason | null> {
  const inChart = patientId === null ? null : await findSuppressionReason(tx, patientId, channel === 'sms' ? 'text' : 'mail');
  if (inChart !== null || channel === 'email') return inChart;
  return (await isOptedOut(tx, to)) ? 'opted_out' : null;
}

/**
 * Refuses a message that would be suppressed, so that nobody believes that it was sent. Consent is asked for again when it leaves.
 * @throws Failure conflict with the reason as its code
 */
export async function requireConsent(tx: Tx, addressee: Addressee): Promise<void> {
  const reason = await findRefusal(tx, addressee);
  if (reason !== null) throw conflict(reason, REFUSALS[reason]);
}

const REFUSALS: Record<SuppressionReason, string> = {
  patient_gone: 'The patient’s chart was deleted.',
  deceased: 'The patient is deceased.',
  do_not_call: 'The patient opted out of all communication.',
  do_not_sms: 'The patient opted out of texts.',
  opted_out: 'This number opted out of texts. It gets texts again after it sends START or its consent is recorded.',
};
