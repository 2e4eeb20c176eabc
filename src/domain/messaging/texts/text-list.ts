import type { MessageDirection, MessageState, Prisma, SmsMessage } from '../../../generated/prisma/client.ts';
import { recordRead } from '../../audit/journal-entries.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { unrestrictedFor } from '../../patients/restrictions/restricted-charts.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Appointment } from '../../scheduling/appointment/appointment-view.ts';
import type { Tx } from '../../tx.ts';
import { cutPage, type Page, type PageRequest, toPageStart, writePosition } from '../../values/paging.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
import { findRestrictedNumbers, findShownAddresses } from '../contacts/restricted-numbers.ts';

export const TEXT_INCLUDE = {
  patient: { select: { id: true, firstName: true, lastName: true, restricted: true } },
  template: { select: { id: true, name: true, category: true } },
  appointment: { select: { id: true, startsAt: true, localStart: true, timeZone: true, confirmation: true } },
  pictures: {
    select: { dueAt: true, attachment: { select: { id: true, fileName: true, mediaType: true, byteLength: true } } },
    orderBy: { id: 'asc' },
  },
} as const satisfies Prisma.SmsMessageInclude;

type TextRow = Prisma.SmsMessageGetPayload<{ include: typeof TEXT_INCLUDE }>;

/**
 * A text with its patient, template and appointment. Of a restricted or blocked patient whom the caller may not see, it has
 * neither the patient nor the patient's number, the body and the reason.
 */
export interface TextView extends Omit<TextRow, 'body' | 'toNumber'> {
  body: string | null;
  toNumber: string | null;
  /** The text is with a patient whose chart is restricted or blocked. */
  patientRestricted: boolean;
}

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
export async function listTexts(tx: Tx, filter: TextFilter, page: PageRequest): Promise<Page<TextView>> {
  const { dates, patientId, ...equal } = filter;
  const { from, before } = await readRange(dates, () => organizationZone(tx));
  const given = Object.fromEntries(Object.entries(equal).filter(([, value]) => value !== undefined));
  const queuedAt = { ...(from ? { gte: from } : {}), ...(before ? { lt: before } : {}) };
  const { limit, offset, after } = toPageStart(page, ORDER);
  const where: Prisma.SmsMessageWhereInput = {
    ...given,
    ...tx.practice,
    ...(patientId === undefined ? {} : { patientId, ...unrestrictedFor(tx) }),
    ...(from || before ? { queuedAt } : {}),
  };
  const found = await tx.prisma.smsMessage.findMany({
    where: { AND: [where, isAfter(after)] },
    include: TEXT_INCLUDE,
    orderBy: [{ queuedAt: 'desc' }, { id: 'desc' }],
    take: limit,
    skip: offset,
  });
  const toPosition = ({ queuedAt: at, id }: TextRow) => writePosition(ORDER, at.toISOString(), id);
  const count = async () => [{ total: await tx.prisma.smsMessage.count({ where }) }];
  const { rows, total, end } = await cutPage(page, found, toPosition, count);
  return { ...page, items: await showTexts(tx, rows, 'search'), total, end };
}

/** Newest first, which is the order of each position. */
const ORDER = 'texts';

/** Texts after a position, as a range of the index by time. */
function isAfter([at, id]: readonly (string | null)[]): Prisma.SmsMessageWhereInput {
  if (at === undefined || at === null) return {};
  const queuedAt = new Date(at);
  return { queuedAt: { lte: queuedAt }, OR: [{ queuedAt: { lt: queuedAt } }, { id: { lt: Number(id) } }] };
}

/** A text that was queued now, with its audit row, about an appointment whose patient the caller may see. */
export async function showQueuedText(
  tx: Tx,
  text: SmsMessage,
  { appointment, template }: { appointment: Appointment; template: TextRow['template'] },
): Promise<TextView> {
  const { patient, patientRestricted: restricted, id, startsAt, localStart, timeZone, confirmation } = appointment;
  const [toNumber = null] = await findShownAddresses(tx, [{ ...text, to: text.toNumber }]);
  const shown = {
    ...text,
    toNumber,
    patient: patient && { ...patient, restricted },
    patientRestricted: restricted,
    pictures: [],
    template,
    appointment: {
      id,
      startsAt: startsAt === null ? null : new Date(startsAt),
      localStart: localStart === null ? null : new Date(`${localStart}Z`),
      timeZone,
      confirmation,
    },
  };
  return shown;
}

/** Finds one text. Audited. @throws Failure not_found */
export async function readText(tx: Tx, id: number): Promise<TextView> {
  const text = await tx.prisma.smsMessage.findUnique({ where: tx.key(id), include: TEXT_INCLUDE });
  const [shown] = text ? await showTexts(tx, [text], 'read') : [];
  if (!shown) throw notFound('sms message');
  return shown;
}

/** Texts as the caller may see them. Audits the texts and the patients shown. */
export async function showTexts(tx: Tx, texts: TextRow[], action: 'read' | 'search'): Promise<TextView[]> {
  // Of an outgoing text without a patient, the number was typed by staff: whether it is a restricted patient's must not show.
  const senders = texts.flatMap(({ patientId, direction, fromNumber }) =>
    patientId === null && direction === 'inbound' ? (fromNumber ?? []) : [],
  );
  const guardians = texts.flatMap(({ toGuardian, toNumber }) => (toGuardian ? [toNumber] : []));
  const numbers = await findRestrictedNumbers(tx, [...senders, ...guardians]);
  const shown = texts.map((text): TextView => {
    const patientRestricted = text.patient?.restricted ?? (text.direction === 'inbound' && numbers.has(text.fromNumber ?? ''));
    return patientRestricted && !maySeeChart(tx, text.patientId)
      ? withhold(text)
      : { ...text, ...(text.toGuardian && numbers.has(text.toNumber) && { toNumber: null }), patientRestricted };
  });
  recordTextsRead(tx, shown, action);
  return shown;
}

/** The reason and the time of sending follow from the chart. */
const withhold = (text: TextRow): TextView => ({
  ...text,
  patientId: null,
  patient: null,
  body: null,
  pictures: [],
  language: null,
  reason: null,
  notBefore: null,
  patientRestricted: true,
  ...(text.direction === 'inbound' ? { fromNumber: null } : { toNumber: null }),
});

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
