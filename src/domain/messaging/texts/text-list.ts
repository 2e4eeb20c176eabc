import type { Db } from '../../../database/database.ts';
import type { MessageDirection, MessageState, Prisma } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
import { readRange, type WrittenRange } from '../../values/date-range.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';

const TEXT_INCLUDE = {
  patient: { select: { id: true, firstName: true, lastName: true } },
  template: { select: { id: true, name: true, category: true } },
  appointment: { select: { id: true, startsAt: true, localStart: true, timeZone: true, confirmation: true } },
} as const satisfies Prisma.SmsMessageInclude;

/** A text with its patient, template and appointment. */
export type TextView = Prisma.SmsMessageGetPayload<{ include: typeof TEXT_INCLUDE }>;

export type { MessageDirection, MessageState };

export interface TextFilter {
  patientId?: number | undefined;
  appointmentId?: number | undefined;
  templateId?: number | undefined;
  state?: MessageState | undefined;
  direction?: MessageDirection | undefined;
  /** Range of the queueing or arrival time; without an offset in the organization's zone. */
  dates: WrittenRange;
}

/** Lists outgoing and inbound texts, newest first. Audits the texts and patients shown. */
export async function listTexts(db: Db, caller: Caller, filter: TextFilter, page: PageRequest): Promise<Page<TextView>> {
  const { dates, ...equal } = filter;
  const { from, before } = await readRange(dates, () => organizationZoneIn(db, caller));
  const given = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  const queuedAt = { ...(from ? { gte: from } : {}), ...(before ? { lt: before } : {}) };
  const where = { ...given, organizationId: caller.organizationId, ...(from || before ? { queuedAt } : {}) };
  const [items, total] = await Promise.all([
    db.smsMessage.findMany({ where, include: TEXT_INCLUDE, orderBy: [{ queuedAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    db.smsMessage.count({ where }),
  ]);
  recordTextsRead(caller, items, 'search');
  return { ...page, items, total };
}

/**
 * Finds one text. Audited.
 * @throws Failure not_found
 */
export async function readText(db: Db, caller: Caller, id: number): Promise<TextView> {
  const { organizationId } = caller;
  const text = await db.smsMessage.findUnique({ where: { organizationId_id: { organizationId, id } }, include: TEXT_INCLUDE });
  if (!text) throw notFound('sms message');
  recordTextsRead(caller, [text], 'read');
  return text;
}

function recordTextsRead(caller: Caller, texts: TextView[], action: 'read' | 'search'): void {
  if (texts.length === 0) return;
  const patients = new Set(texts.flatMap(({ patientId }) => patientId ?? []));
  recordRead(
    caller,
    'text',
    texts.map(({ id }) => id),
    action,
  );
  if (patients.size > 0) recordRead(caller, 'patient', [...patients], action);
}
