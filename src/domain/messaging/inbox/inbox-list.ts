import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { type Caller, maySeeChart } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { isAnyWithheld } from '../../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../tx.ts';
import { cutPage, type Page, type PageRequest, toPageStart } from '../../values/paging.ts';
import { findHolders, type NumberHolder, othersThan } from '../contacts/number-holders.ts';
import { findRestrictedNumbers } from '../contacts/restricted-numbers.ts';
import { requireChat } from '../numbers/practice-numbers.ts';
import { type EntryWords, readWords } from './entry-words.ts';
import type { InboxKind } from './inbox.ts';
import { INBOX_ORDER, inboxCount, inboxPage } from './inbox-list.sql.ts';

const PERSON = { select: { id: true, firstName: true, lastName: true } } as const;

const ITEM_INCLUDE = {
  chat: { select: { id: true, name: true } },
  patient: { select: { id: true, firstName: true, lastName: true, restricted: true } },
  assignedUser: PERSON,
  acknowledgedBy: PERSON,
  closedBy: PERSON,
} as const satisfies Prisma.InboxItemInclude;

type ItemRow = Prisma.InboxItemGetPayload<{ include: typeof ITEM_INCLUDE }>;

/**
 * An item of the inbox. Of a restricted or blocked patient whom the caller may not see, it has neither the patient nor the contact,
 * the number and the note.
 */
export interface InboxItemView extends ItemRow {
  /** Kinds of its entries, each once, by name. */
  kinds: string[];
  /** The conversation is with a patient whose chart is restricted or blocked. */
  patientRestricted: boolean;
  /** Other patients who have the number now. */
  others: NumberHolder[];
}

/** An entry of an item. Its subject and words are null where the patient is withheld. */
export interface InboxEntryView extends EntryWords {
  id: number;
  kind: string;
  enteredAt: Date;
  subject: { type: string; id: number } | null;
}

export interface InboxItemWithEntries extends InboxItemView {
  /** The newest ones, the oldest of them first. */
  entries: InboxEntryView[];
}

export interface InboxListFilter {
  chatId?: number | undefined;
  mine: boolean;
  open?: boolean | undefined;
  kind?: InboxKind | undefined;
  urgent?: boolean | undefined;
  patientId?: number | undefined;
}

/** Entries that one item shows. The conversation before that is in the lists of texts and voice messages. */
const MOST_ENTRIES = 200;

/**
 * Lists items, open urgent ones first, then those with the newest entry. Audits the items and patients shown.
 * @throws Failure not_found for the call group
 */
export async function listInbox(
  tx: Tx,
  { chatId, mine, open, kind, urgent, patientId }: InboxListFilter,
  page: PageRequest,
): Promise<Page<InboxItemView>> {
  if (chatId !== undefined) await requireChat(tx, chatId);
  if (patientId !== undefined && (await isAnyWithheld(tx, [patientId]))) return { ...page, items: [], total: 0 };
  const filter = { group: chatId !== undefined, mine, open, kind: kind !== undefined, urgent, patient: patientId !== undefined };
  const values = [chatId, mine ? tx.userId : undefined, kind, patientId].filter((value) => value !== undefined);
  const start = toPageStart(page, INBOX_ORDER.name);
  const statement = inboxPage(filter, start.after.length > 0);
  const found = await tx.rows(statement, [start.limit, start.offset, ...values, ...start.after]);
  const count = () => tx.rows(inboxCount(filter), [...values]);
  const { rows: ids, total, end } = await cutPage(page, found, ({ position }) => position, count);
  const rows = await tx.prisma.inboxItem.findMany({
    where: { ...tx.practice, id: { in: ids.map(({ id }) => id) } },
    include: ITEM_INCLUDE,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const shown = await showItems(
    tx,
    ids.flatMap(({ id }) => byId.get(id) ?? []),
  );
  if (shown.length > 0) recordItemsRead(tx, shown, 'search');
  return { ...page, items: shown, total, end };
}

/** Finds one item with its entries. Audited with what the entries show. @throws Failure not_found */
export async function readInboxItem(tx: Tx, id: number): Promise<InboxItemWithEntries> {
  const item = await findInboxItem(tx, id);
  recordItemsRead(tx, [item], 'read');
  return { ...item, entries: await readEntries(tx, item) };
}

/** As the caller may see it; not audited. @throws Failure not_found */
async function findInboxItem(tx: Tx, id: number): Promise<InboxItemView> {
  const row = await tx.prisma.inboxItem.findUnique({ where: tx.key(id), include: ITEM_INCLUDE });
  const [item] = row ? await showItems(tx, [row]) : [];
  if (!item) throw notFound('inbox item');
  return item;
}

async function showItems(tx: Tx, rows: ItemRow[]): Promise<InboxItemView[]> {
  if (rows.length === 0) return [];
  const senders = rows.flatMap(({ patientId, number }) => (patientId === null ? (number ?? []) : []));
  const restrictedNumbers = await findRestrictedNumbers(tx, senders);
  const kinds = await tx.prisma.inboxEntry.findMany({
    where: { ...tx.practice, inboxItemId: { in: rows.map(({ id }) => id) } },
    distinct: ['inboxItemId', 'kind'],
    orderBy: [{ inboxItemId: 'asc' }, { kind: 'asc' }],
    select: { inboxItemId: true, kind: true },
  });
  const kindsByItem = Map.groupBy(kinds, ({ inboxItemId }) => inboxItemId);
  const holders = await findHolders(
    tx,
    rows.flatMap(({ number }) => number ?? []),
  );
  return rows.map((row) => {
    const patientRestricted = row.patient?.restricted ?? restrictedNumbers.has(row.number ?? '');
    const others = othersThan(holders, row.number, row.patientId);
    const item = { ...row, kinds: (kindsByItem.get(row.id) ?? []).map(({ kind }) => kind), patientRestricted, others };
    return patientRestricted && !maySeeChart(tx, row.patientId) ? withhold(item) : item;
  });
}

const withhold = (item: InboxItemView): InboxItemView => ({
  ...item,
  patient: null,
  patientId: null,
  contactId: null,
  number: null,
  note: null,
  others: [],
});

const isWithheld = (caller: Caller, { patientRestricted, patientId }: InboxItemView) =>
  patientRestricted && !maySeeChart(caller, patientId);

const NO_WORDS: EntryWords = { words: null, appointmentId: null, pictures: 0 };

async function readEntries(tx: Tx, item: InboxItemView): Promise<InboxEntryView[]> {
  const newest = await tx.prisma.inboxEntry.findMany({
    where: { ...tx.practice, inboxItemId: item.id },
    orderBy: { id: 'desc' },
    take: MOST_ENTRIES,
  });
  const entries = newest.reverse();
  if (isWithheld(tx, item)) return entries.map(({ id, kind, enteredAt }) => ({ id, kind, enteredAt, subject: null, ...NO_WORDS }));
  const words = await readWords(tx, entries);
  return entries.map(({ id, kind, enteredAt, subjectType: type, subjectId }) => ({
    id,
    kind,
    enteredAt,
    subject: { type, id: subjectId },
    ...(words.get(`${type} ${subjectId}`) ?? NO_WORDS),
  }));
}

function recordItemsRead(caller: Caller, items: InboxItemView[], action: 'read' | 'search'): void {
  const patientIds = [...new Set(items.flatMap(({ patientId }) => patientId ?? []))];
  recordReadWithPatients(caller, 'inbox_item', { ids: items.map(({ id }) => id), patientIds }, action);
}
