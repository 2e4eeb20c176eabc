import type { Db } from '../../database/database.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';

/** Where consent, or its end, was told. */
export type ConsentSource = 'text' | 'user' | 'import' | 'carrier';

/** Why a patient may not be written to: stable words, which rows keep. */
export type SuppressionReason = 'patient_gone' | 'deceased' | 'do_not_call' | 'do_not_sms' | 'opted_out';

/** A line of the ledger: what was said, from which number, how it was told. */
export interface ConsentRecord {
  /** E.164. */
  number: string;
  keyword: string;
  source: ConsentSource;
}

/** Notes that a number wants no more texts of the practice. */
export const recordOptOut = (db: Db, caller: Caller, given: ConsentRecord): Promise<void> => record(db, caller, given, true);

/** Notes that a number wants texts again. */
export const recordOptIn = (db: Db, caller: Caller, given: ConsentRecord): Promise<void> => record(db, caller, given, false);

async function record(db: Db, caller: Caller, given: ConsentRecord, optedOut: boolean): Promise<void> {
  const { id } = await db.optOut.create({ data: { organizationId: caller.organizationId, ...given, optedOut }, select: { id: true } });
  recordChange(caller, 'create', { name: optedOut ? 'consent.revoked' : 'consent.given', subject: 'consent', id });
}

/** Whether the newest word from a number was to stop. */
export async function isOptedOut(db: Db, { organizationId }: Caller, number: string): Promise<boolean> {
  const newest = await db.optOut.findFirst({
    where: { organizationId, number },
    orderBy: [{ recordedAt: 'desc' }, { id: 'desc' }],
    select: { optedOut: true },
  });
  return newest?.optedOut === true;
}

/** What the chart says against writing to a patient: by text, or by mail, where only the words against all contact count. */
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
