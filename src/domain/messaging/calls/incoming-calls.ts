import type { Db } from '../../../database/database.ts';
import { filter, list, select, sortBy } from '../../../database/statements/list.ts';
import { selectInstant } from '../../../database/statements/statement.ts';
import type { CallInstruction, CarrierEvent } from '../../../gateways/carrier/carrier.ts';
import { recordChange, recordRead, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { isUnrestricted } from '../../patients/restrictions/restricted-charts.sql.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readNumberedPage } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toBounds, type WrittenRange } from '../../values/time/date-range.ts';
import { findOrCreateContactByNumber } from '../contacts/contacts.ts';
import { listRestrictedNumbers } from '../contacts/restricted-numbers.ts';
import { findHolder } from '../numbers/number-directory.ts';

/** An incoming call, with the caller as far as the record knows them. */
interface CallRow {
  id: number;
  from_number: string;
  to_number: string;
  status: string;
  /** ISO 8601 in UTC, as is ended_at. */
  started_at: string;
  ended_at: string | null;
  duration_seconds: number | null;
  phone_number_id: number;
  /** The call group of the number when the call came in. */
  chat_id: number | null;
  /** Contact id of the patient whose call it was, else of the number itself. */
  contact_id: number | null;
  /** The patient of the number when the call came in. */
  patient_id: number | null;
  first_name: string | null;
  last_name: string | null;
}

/**
 * Values: organization, first start, end of starts, and the numbers whose calls are left out if no patient is stored. Contacts are looked up by
 * number for the rows of the page only.
 */
const CALLS = list({
  name: 'calls',
  select: select<CallRow>('c.*'),
  from: 'incoming_call c',
  where: `c.organization_id = $1 AND c.started_at >= $2::timestamptz AND c.started_at < $3::timestamptz
       AND (c.patient_id IS NOT NULL OR c.from_number <> ALL ($4::text[])) AND ${isUnrestricted('c.patient_id')}`,
  filters: {
    /** E.164, of the caller or of the practice. */
    number: filter<string>('text', (number) => `(c.from_number = ${number} OR c.to_number = ${number})`),
  },
  orders: { start: sortBy('c.started_at', 'c.id') },
  wrap: ({ page }) => `
     SELECT c.id, c.from_number, c.to_number, c.status, ${selectInstant('c.started_at')} AS started_at, ${selectInstant('c.ended_at')} AS ended_at,
            extract(epoch FROM c.ended_at - c.started_at)::int AS duration_seconds, c.phone_number_id, c.chat_id,
            coalesce(p.id, s.id) AS contact_id, p.id AS patient_id,
            CASE WHEN p.id IS NULL THEN s.first_name ELSE p.first_name END AS first_name,
            CASE WHEN p.id IS NULL THEN s.last_name ELSE p.last_name END AS last_name, c.cursor
       FROM (${page}) AS c
       LEFT JOIN patient p ON p.organization_id = $1 AND p.id = c.patient_id AND p.status <> 'deleted'
       LEFT JOIN LATERAL (
         SELECT s.id, s.first_name, s.last_name FROM contact s
          WHERE s.organization_id = $1 AND s.phone = c.from_number AND s.patient_id IS NULL
          ORDER BY s.id LIMIT 1) AS s ON p.id IS NULL
      ORDER BY c.place`,
});
const NEWEST_FIRST = { order: 'start', descending: true } as const;

export type IncomingCall = CallRow;

export interface IncomingCallFilter {
  /** E.164, of the caller or of the practice. */
  number?: string | undefined;
  started: WrittenRange;
}

/**
 * Lists incoming calls, newest first, without those of restricted and blocked patients. Audits the calls and the patients among
 * the callers.
 */
export async function listIncomingCalls(tx: Tx, { number, started }: IncomingCallFilter, page: PageRequest): Promise<Page<IncomingCall>> {
  const range = await readRange(started, () => organizationZone(tx));
  const values = [...toBounds(range), await listRestrictedNumbers(tx)];
  const { rows: items, total } = await readNumberedPage(tx, CALLS, { values, filter: { number }, sort: NEWEST_FIRST, page });
  recordCallsRead(tx, items);
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

export interface NumberOwner {
  organizationId: number;
  phoneNumberId: number;
}

/** Finds the owner of a number before the organization is known. @returns null where no practice has the number now */
export async function findNumberOwner(db: Db, number: string): Promise<NumberOwner | null> {
  const holder = await findHolder(db, number);
  return holder && { organizationId: holder.organizationId, phoneNumberId: holder.phoneNumberId };
}

/** Result of an inbound event: stored, known already (possibly with details added), or addressed to a number that is not the practice's. */
export type InboundResult = 'stored' | 'known' | 'ignored';

type CallEvent = Extract<CarrierEvent, { kind: 'call' }>;

/**
 * Stores a call, or updates its state: the carrier reports the same call several times, in any order. The caller
 * becomes a contact, and the patient whose call it is stays so.
 */
export async function recordIncomingCall(tx: Tx, { id: carrierCallId, ...call }: CallEvent): Promise<InboundResult> {
  const number = await findOwnNumber(tx, call.to);
  if (!number) return 'ignored';
  const { from: fromNumber, to: toNumber, status, startedAt, endedAt } = call;
  const row = {
    ...tx.practice,
    phoneNumberId: number.id,
    chatId: number.chatId,
    carrierCallId,
    fromNumber: sanitizeCallerNumber(fromNumber),
    toNumber,
    status,
    startedAt,
    endedAt,
  };
  const [stored] = await tx.prisma.incomingCall.createManyAndReturn({ data: [row], skipDuplicates: true, select: { id: true } });
  if (stored) {
    const patientId = (await findOrCreateContactByNumber(tx, fromNumber))?.patientId ?? null;
    const key = tx.key(stored.id);
    if (patientId !== null) await tx.prisma.incomingCall.update({ where: key, data: { patientId }, select: { id: true } });
    recordChange(tx, 'create', { name: 'call.received', id: stored.id }, toPatientIds({ patientId }));
    return 'stored';
  }
  // A call that has ended stays ended, even if a ringing report arrives later.
  const [changed] = await tx.prisma.incomingCall.updateManyAndReturn({
    where: { ...tx.practice, carrierCallId, endedAt: null, OR: [{ status: { not: status } }, ...(endedAt ? [{ endedAt: null }] : [])] },
    data: { status, ...(endedAt ? { endedAt } : {}) },
    select: { id: true, patientId: true },
  });
  if (changed) recordChange(tx, 'update', { name: 'call.changed', id: changed.id, changed: ['status'] }, toPatientIds(changed));
  return 'known';
}

/** Decides how the carrier should treat a call that has just come in: fax numbers reject it, all others take a message. */
export async function callInstruction(db: Db, { organizationId, phoneNumberId: id }: NumberOwner): Promise<CallInstruction> {
  const number = await db.phoneNumber.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { kind: true } });
  if (!number || number.kind === 'fax') return { kind: 'reject' };
  const { name } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const greeting = `You have reached ${name}. If this is an emergency, hang up and call 911. Otherwise, please leave a message after the tone.`;
  return { kind: 'take_message', greeting };
}

/** A number of the practice, and the call group that it rings now, with which what comes in on it stays. */
interface OwnNumber {
  id: number;
  chatId: number | null;
}

/** Finds a number that the practice has now. */
export function findOwnNumber(tx: Tx, number: string): Promise<OwnNumber | null> {
  return tx.prisma.phoneNumber.findFirst({
    where: { ...tx.practice, number, releasedAt: null },
    select: { id: true, chatId: true },
  });
}

/** Callers who withhold their number are reported with a word, or with nothing. */
export const sanitizeCallerNumber = (from: string): string => from.replaceAll('\0', '').toWellFormed().slice(0, 64);
