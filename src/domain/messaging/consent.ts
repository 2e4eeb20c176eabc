import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';

/** Source of an opt-out or opt-in. */
export type ConsentSource = 'text' | 'user' | 'import' | 'carrier';

/** Reasons for which a message to a patient is suppressed. Stored in rows, so the codes are stable. */
export type SuppressionReason = 'patient_gone' | 'deceased' | 'do_not_call' | 'do_not_sms' | 'opted_out';

/** An entry of the consent ledger: number, keyword and source. */
export interface ConsentRecord {
  /** E.164. */
  number: string;
  keyword: string;
  source: ConsentSource;
}

/** Records that a number opted out of the practice's texts. */
export const recordOptOut = (db: Db, caller: Caller, given: ConsentRecord): Promise<void> => record(db, caller, given, true);

/** Records that a number opted in again. */
export const recordOptIn = (db: Db, caller: Caller, given: ConsentRecord): Promise<void> => record(db, caller, given, false);

async function record(db: Db, caller: Caller, given: ConsentRecord, optedOut: boolean): Promise<void> {
  const { id } = await db.optOut.create({ data: { organizationId: caller.organizationId, ...given, optedOut }, select: { id: true } });
  recordChange(caller, 'create', { name: optedOut ? 'consent.revoked' : 'consent.given', subject: 'consent', id });
}

/** Whether the latest entry for a number is an opt-out. */
export async function isOptedOut(db: Db, { organizationId }: Caller, number: string): Promise<boolean> {
  const newest = await db.optOut.findFirst({
    where: { organizationId, number },
    orderBy: [{ recordedAt: 'desc' }, { id: 'desc' }],
    select: { optedOut: true },
  });
  return newest?.optedOut === true;
}

/**
 * Finds the reason in the chart for which a message to a patient must be suppressed. Mail is suppressed only by an
 * objection to all contact.
 */
export async function findSuppressionReason(
  db: Db,
  { organizationId }: Caller,
  patientId: number,
  channel: 'text' | 'mail',
): Promise<SuppressionReason | null> {
  const patient = await db.patient.findUnique({
    where: { organizationId_id: { organizationId, id: patientId } },
    select: { status: true, deceasedDate: true, doNotCall: true, doNotSms: true },
  });
  if (!patient || patient.status === 'deleted') return 'patient_gone';
  if (patient.deceasedDate !== null) return 'deceased';
  if (patient.doNotCall) return 'do_not_call';
  return channel === 'text' && patient.doNotSms ? 'do_not_sms' : null;
}
