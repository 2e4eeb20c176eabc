import { listOpenedCharts, maySeeRestricted } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { isAnyWithheld } from '../../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../tx.ts';
import { cutPage, type Page, type PageRequest, toPageStart, writePosition } from '../../values/paging.ts';
import { CONTACT_BY_NUMBER } from '../contacts/contacts.sql.ts';
import { findHolders, type NumberHolder, othersThan } from '../contacts/number-holders.ts';
import { listRestrictedNumbers } from '../contacts/restricted-numbers.ts';
import { type CanText, type CanTextOf, findCanText } from '../recipients/can-text.ts';
import { showTexts, TEXT_INCLUDE, type TextView } from '../texts/text-list.ts';
import {
  type ConversationFilter,
  type ConversationScope,
  conversationCount,
  conversationPage,
  messageCount,
  messagePage,
  OPEN_ITEMS_OF_NUMBERS,
} from './conversations.sql.ts';

/** All that a practice and a telephone number have written to each other. */
export interface Conversation {
  /** E.164, or a short code. */
  number: string;
  /** The patients who have the number now, each person once, first whom a call from it would be filed with. */
  holders: NumberHolder[];
  /** Of the first of them; of a number that is no patient's its own. Null where it has none. */
  contactId: number | null;
  /** The text that was written last. */
  latest: TextView;
  /** The open items of the inbox with this number, urgent ones first. */
  items: { id: number; urgent: boolean; acknowledged: boolean }[];
  canText: CanText;
}

/** A text of a conversation, with the other patients who have its number now: it may be theirs. */
export interface ConversationText extends TextView {
  others: NumberHolder[];
}

export interface ConversationListFilter extends Omit<ConversationFilter, 'userId'> {
  /** With an open item of the inbox that is the caller's. */
  mine: boolean;
}

/** Lists conversations, those with the newest text first. Audits the texts and patients shown. */
export async function listConversations(
  tx: Tx,
  { mine, ...filter }: ConversationListFilter,
  page: PageRequest,
): Promise<Page<Conversation>> {
  const charts = [filter.patientId, filter.contactId].flatMap((id) => id ?? []);
  if (charts.length > 0 && (await isAnyWithheld(tx, charts))) return { ...page, items: [], total: 0 };
  const scope = await readScope(tx);
  const named = { ...filter, userId: mine ? (tx.userId ?? 0) : undefined };
  const order = 'conversations';
  const found = await tx.prisma.$queryRaw<{ id: number; queuedAt: Date; number: string }[]>(
    conversationPage(scope, named, toPageStart(page, order)),
  );
  const count = () => tx.prisma.$queryRaw<{ total: number }[]>(conversationCount(scope, named));
  const { rows: shown, total, end } = await cutPage(page, found, positionIn(order), count);
  const texts = new Map((await readTexts(tx, shown)).map((text) => [text.id, text]));
  const numbers = shown.map(({ number }) => number);
  const { mayRestricted, restrictedNumbers } = scope;
  const items = await tx.rows(OPEN_ITEMS_OF_NUMBERS, [numbers, mayRestricted, restrictedNumbers]);
  const people = await findPeople(tx, numbers);
  const conversations = shown.flatMap(({ id, number }): Conversation[] => {
    const latest = texts.get(id);
    const { holders, ...person } = people(number);
    return latest ? [{ number, holders, ...person, latest, items: items.filter((item) => item.number === number) }] : [];
  });
  return { ...page, items: conversations, total, end };
}

/**
 * Lists the texts of a conversation, newest first. Audits the texts and patients shown.
 * @param contactId only those that are filed with this patient, or are nobody's where it is the number's own contact
 * @throws Failure not_found where there is no conversation
 */
export async function listConversationTexts(
  tx: Tx,
  { number, contactId }: { number: string; contactId?: number | undefined },
  page: PageRequest,
): Promise<Page<ConversationText>> {
  const { scope, holders } = await requireConversation(tx, number);
  const order = 'conversation texts';
  const found = await tx.prisma.$queryRaw<TextPlace[]>(messagePage(scope, number, contactId, toPageStart(page, order)));
  const count = () => tx.prisma.$queryRaw<{ total: number }[]>(messageCount(scope, number, contactId));
  const { rows: shown, total, end } = await cutPage(page, found, positionIn(order), count);
  return { ...page, items: withOthers(await readTexts(tx, shown), holders), total, end };
}

/** One text of a conversation. Audited. @throws Failure not_found */
export async function readConversationText(tx: Tx, { number, id }: { number: string; id: number }): Promise<ConversationText> {
  const { holders } = await requireConversation(tx, number);
  const [text] = withOthers(await readTexts(tx, [{ id }]), holders);
  if (!text || findOtherSide(text) !== number) throw notFound('sms message');
  return text;
}

/** Null in a text that is withheld. */
const findOtherSide = ({ direction, fromNumber, toNumber }: TextView): string | null => (direction === 'inbound' ? fromNumber : toNumber);

interface TextPlace {
  id: number;
  queuedAt: Date;
  /** The practice's own number. */
  line: string | null;
  patientId: number | null;
}

/** A conversation that can be answered. */
export interface KnownConversation {
  scope: ConversationScope;
  holders: NumberHolder[];
  /** Its newest text; null where nothing was written yet to a number that is known. */
  latest: TextPlace | null;
}

/** @throws Failure not_found where nothing that the caller may see was written, and the number is nobody's whom the practice knows */
export async function requireConversation(tx: Tx, number: string): Promise<KnownConversation> {
  const scope = await readScope(tx);
  const holders = await findHolders(tx, [number]);
  const [latest = null] = await tx.prisma.$queryRaw<TextPlace[]>(messagePage(scope, number, undefined, { limit: 1, offset: 0, after: [] }));
  if (latest === null && holders.length === 0) {
    const [contact] = scope.restrictedNumbers.includes(number) ? [] : await tx.rows(CONTACT_BY_NUMBER, [number]);
    if (!contact) throw notFound('conversation');
  }
  return { scope, holders, latest };
}

const withOthers = (texts: TextView[], holders: NumberHolder[]): ConversationText[] =>
  texts.map((text) => ({
    ...text,
    others: othersThan(holders, findOtherSide(text), text.patientId),
  }));

async function readScope(tx: Tx): Promise<ConversationScope> {
  const mayRestricted = maySeeRestricted(tx);
  return { ...tx.practice, mayRestricted, opened: listOpenedCharts(tx), restrictedNumbers: await listRestrictedNumbers(tx) };
}

const positionIn =
  (order: string) =>
  ({ queuedAt, id }: { queuedAt: Date; id: number }) =>
    writePosition(order, queuedAt.toISOString(), id);

async function readTexts(tx: Tx, rows: readonly { id: number }[]): Promise<TextView[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const where = { ...tx.practice, id: { in: ids } };
  const byId = new Map((await tx.prisma.smsMessage.findMany({ where, include: TEXT_INCLUDE })).map((text) => [text.id, text]));
  return showTexts(
    tx,
    ids.flatMap((id) => byId.get(id) ?? []),
    'search',
  );
}

/** Finds the people of numbers, and whether texts to them would leave. */
async function findPeople(tx: Tx, numbers: string[]) {
  const all = await findHolders(tx, numbers);
  const contacts = await tx.prisma.contact.findMany({
    where: { ...tx.practice, patientId: null, phone: { in: numbers } },
    select: { id: true, phone: true },
  });
  const canText = await findCanText(tx, { patientIds: all.map(({ id }) => id), numbers });
  return (number: string): Pick<Conversation, 'holders' | 'contactId' | 'canText'> => {
    const holders = all.filter((holder) => holder.number === number);
    const contactId = holders[0]?.id ?? contacts.find(({ phone }) => phone === number)?.id ?? null;
    return { holders, contactId, canText: canTextTo(canText, number, holders[0]) };
  };
}

/** The number's own word counts, then the chart of its patient, on whose clock quiet hours are. */
function canTextTo(canText: CanTextOf, number: string, holder: NumberHolder | undefined): CanText {
  const ofNumber = canText.number(number);
  if (!ofNumber.ok || !holder) return ofNumber;
  const ofPatient = canText.patient(holder.id);
  // They are about the mobile number of the chart, which may be another.
  return ofPatient.reason === 'no_mobile_number' || ofPatient.reason === 'opted_out' ? ofNumber : ofPatient;
}
