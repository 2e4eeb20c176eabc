import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { CallInstruction, CarrierEvent } from '../../../gateways/carrier/carrier.ts';
import { patientsOf, recordChange, recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { readRange, type WrittenRange } from '../../values/date-range.ts';
import { type Page, type PageRequest, totalOf } from '../../values/paging.ts';
import { findOrCreateContactByNumber } from '../contacts/contacts.ts';
import { listRestrictedNumbers } from '../contacts/restricted-numbers.ts';
import { findHolder } from '../numbers/number-directory.ts';
import { type CallRow, callCount, callPage } from './incoming-calls.sql.ts';

export type IncomingCall = CallRow;

export interface IncomingCallFilter {
  /** E.164, of the caller or of the practice. */
  number?: string | undefined;
  /** Range of the start times. */
  started: WrittenRange;
}

/**
 * Lists incoming calls, newest first, without those of restricted and blocked patients. Audits the calls and the patients among
 * the callers.
 */
export async function listIncomingCalls(
  { db, prepared }: { db: Db; prepared: Prepared },
  caller: Caller,
  { number, started }: IncomingCallFilter,
  page: PageRequest,
): Promise<Page<IncomingCall>> {
  const { from, before } = await readRange(started, () => organizationZone(prepared, caller));
  const leftOut = await listRestrictedNumbers(db, caller);
  const bounds = [caller.organizationId, from?.toISOString() ?? '-infinity', before?.toISOString() ?? 'infinity', leftOut];
  const ofNumber = number === undefined ? [] : [number];
  const offset = (page.page - 1) * page.limit;
  const items = await prepared.rows(callPage(ofNumber.length > 0), [...bounds, page.limit, offset, ...ofNumber]);
  const total = await totalOf(page, items.length, () => prepared.rows(callCount(ofNumber.length > 0), [...bounds, ...ofNumber]));
  recordCallsRead(caller, items);
  return { ...page, items, total };
}

function recordCallsRead(caller: Caller, calls: CallRow[]): void {
  if (calls.length === 0) return;
  const patients = new Set(calls.flatMap(({ patient_id }) => patient_id ?? []));
  recordRead(
    caller,
    'incoming_call',
    calls.map(({ id }) => id),
    'search',
  );
  if (patients.size > 0) recordRead(caller, 'patient', [...patients], 'search');
}

/** The organization that owns a number. */
export interface NumberOwner {
  organizationId: number;
  phoneNumberId: number;
}

/**
 * Finds the owner of a number before the organization is known.
 * @returns null where no practice has the number now
 */
export async function findNumberOwner(db: Db, number: string): Promise<NumberOwner | null> {
  const holder = await findHolder(db, number);
  return holder && { organizationId: holder.organizationId, phoneNumberId: holder.phoneNumberId };
}

/**
 * Result of an inbound event: stored, known already (possibly with details added), or addressed to a number that is not
 * the practice's.
 */
export type InboundResult = 'stored' | 'known' | 'ignored';

type CallEvent = Extract<CarrierEvent, { kind: 'call' }>;

/**
 * Stores a call, or updates its state: the carrier reports the same call several times, in any order. The caller
 * becomes a contact, and the patient whose call it is stays so.
 */
export async function recordIncomingCall(db: Db, caller: Caller, { id: carrierCallId, ...call }: CallEvent): Promise<InboundResult> {
  const { organizationId } = caller;
  const number = await findOwnNumber(db, caller, call.to);
  if (!number) return 'ignored';
  const { from: fromNumber, to: toNumber, status, startedAt, endedAt } = call;
  const row = {
    organizationId,
    phoneNumberId: number.id,
    chatId: number.chatId,
    carrierCallId,
    fromNumber: sanitizeCallerNumber(fromNumber),
    toNumber,
    status,
    startedAt,
    endedAt,
  };
  const [stored] = await db.incomingCall.createManyAndReturn({ data: [row], skipDuplicates: true, select: { id: true } });
  if (stored) {
    const patientId = (await findOrCreateContactByNumber(db, caller, fromNumber))?.patientId ?? null;
    const key = { organizationId_id: { organizationId, id: stored.id } };
    if (patientId !== null) await db.incomingCall.update({ where: key, data: { patientId }, select: { id: true } });
    recordChange(caller, 'create', { name: 'call.received', id: stored.id }, patientsOf({ patientId }));
    return 'stored';
  }
  // A call that has ended stays ended, even if a ringing report arrives later.
  const [changed] = await db.incomingCall.updateManyAndReturn({
    where: { organizationId, carrierCallId, endedAt: null, OR: [{ status: { not: status } }, ...(endedAt ? [{ endedAt: null }] : [])] },
    data: { status, ...(endedAt ? { endedAt } : {}) },
    select: { id: true, patientId: true },
  });
  if (changed) recordChange(caller, 'update', { name: 'call.changed', id: changed.id, changed: ['status'] }, patientsOf(changed));
  return 'known';
}

/** Decides how the carrier should treat a call that has just come in: fax numbers reject it, all others take a message. */
export async function callInstruction(db: Db, { organizationId, phoneNumberId: id }: NumberOwner): Promise<CallInstruction> {
  const number = await db.phoneNumber.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { kind: true } });
  if (!number || number.kind === 'fax') return { kind: 'reject' };
  const { name } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const greeting = `You have reached ${name}. If this is an emergency, hang up and call 911. Else please leave a message after the tone.`;
  return { kind: 'take_message', greeting };
}

/** A number of the practice, and the call group that it rings now, with which what comes in on it stays. */
interface OwnNumber {
  id: number;
  chatId: number | null;
}

/** Finds a number that the practice has now. */
export function findOwnNumber(db: Db, { organizationId }: Caller, number: string): Promise<OwnNumber | null> {
  return db.phoneNumber.findFirst({ where: { organizationId, number, releasedAt: null }, select: { id: true, chatId: true } });
}

/** Callers who withhold their number are reported with a word, or with nothing. */
export const sanitizeCallerNumber = (from: string): string => from.replaceAll('\0', '').toWellFormed().slice(0, 64);
