import type { Db } from '../../../database/database.ts';
import { type AvailableNumber, type Carrier, CarrierRefusal, type NumberSearch } from '../../../gateways/carrier/carrier.ts';
import type { PhoneNumber, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, Failure, invalid, notFound, unavailable } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { findHolder, holdNumber, listHeld, notForSale } from './number-directory.ts';
import { lockNumbers, requireAnotherPlainNumber } from './number-release.ts';

export type NumberKind = PhoneNumber['kind'];

/** A number of the practice: bought, being bought, or refused by the carrier. */
export type PracticeNumber = PhoneNumber;

/** A number with its use and the call group that it is to ring. */
export interface NumberOrder {
  /** E.164, North American. */
  number: string;
  kind: NumberKind;
  /** Null for none; left out, the number keeps the one that it has. */
  chatId?: number | null | undefined;
}

/** Numbers that one search of the carrier asks for. */
export const MOST_OFFERED = 1_000;

/**
 * Searches numbers for sale, leaving out those that an organization of this server has, by number. The total is what the carrier
 * offers in one search, MOST_OFFERED at most.
 * @throws Failure unavailable; invalid for a pattern that the carrier refuses
 */
export async function searchAvailableNumbers(
  db: Db,
  carrier: Carrier,
  wanted: Omit<NumberSearch, 'limit'>,
  page: PageRequest,
): Promise<Page<AvailableNumber>> {
  const found = await carrier.searchNumbers({ ...wanted, limit: MOST_OFFERED }).catch((error: unknown) => {
    if (error instanceof CarrierRefusal) throw invalid('contains', 'is not a pattern that the carrier supports', 'unsupported_pattern');
    throw carrierUnavailable(error);
  });
  const gone = await listHeld(
    db,
    found.map(({ number }) => number),
  );
  const offered = found.filter(({ number }) => !gone.has(number)).toSorted((one, other) => Number(one.number) - Number(other.number));
  const { skip, take } = window(page);
  return { ...page, items: offered.slice(skip, skip + take), total: offered.length };
}

const carrierUnavailable = (cause: unknown) => unavailable('The carrier does not answer. Try again in a moment.', cause);

/** Whether the carrier sells a number, or the failure of asking it. Looked up before the transaction of the order. */
export interface NumberAvailability {
  carrier: Carrier['name'];
  answer: boolean | Failure;
  /** Numbers that a practice has, at most. */
  most: number;
}

/** The carrier that sells numbers to a practice, and how many it may have. */
export interface NumberSale {
  findSenders(organizationId: number): Promise<{ carrier: Carrier }>;
  most: number;
}

export async function checkAvailability(
  { findSenders, most }: NumberSale,
  organizationId: number,
  number: string,
): Promise<NumberAvailability> {
  const { carrier } = await findSenders(organizationId);
  const wanted = { areaCode: number.slice(2, 5), contains: number.slice(2), limit: 1 };
  const answer = await carrier.searchNumbers(wanted).then(
    ([found]) => found?.number === number,
    (error: unknown) => (error instanceof CarrierRefusal ? false : carrierUnavailable(error)),
  );
  return { carrier: carrier.name, answer, most };
}

/**
 * Purchases a number, or gives one of the practice this kind: so a fax or voice-pager number becomes plain again, and a released
 * one is taken back.
 * @throws Failure as assignNumber; conflict for a number that is as it is wanted already
 */
export async function purchaseNumber(tx: Tx, order: NumberOrder, forSale: NumberAvailability): Promise<PracticeNumber> {
  const own = await lockOwnNumber(tx, order);
  if (!own) return orderNumber(tx, order, forSale);
  if (own.kind === order.kind && own.state !== 'releasing' && order.chatId === undefined)
    throw conflict('number_owned', 'The practice already has this number.', 'number');
  return changeUse(tx, own, order);
}

/**
 * Gives a number of the practice a kind and perhaps another call group, and takes it back if it was released. A number that the
 * practice does not have is ordered.
 * @throws Failure not_found for a call group; conflict for a number that has another use than plain, for the last plain number, and
 *   for a number that is not for sale, whoever has it
 */
export async function assignNumber(tx: Tx, order: NumberOrder, forSale: NumberAvailability): Promise<PracticeNumber> {
  const own = await lockOwnNumber(tx, order);
  return own ? changeUse(tx, own, order) : orderNumber(tx, order, forSale);
}

async function changeUse(tx: Tx, own: PracticeNumber, { kind, chatId }: NumberOrder): Promise<PracticeNumber> {
  const isTakenBack = own.state === 'releasing';
  if (own.kind !== kind) {
    if (own.kind !== 'plain' && kind !== 'plain' && !isTakenBack)
      throw conflict('number_in_use', 'This number already has another use. Make it plain first with POST /available-numbers.', 'number');
    await requireAnotherPlainNumber(tx, own);
  }
  const changed = [
    ...(own.kind === kind ? [] : ['kind']),
    ...(chatId === undefined || own.chatId === chatId ? [] : ['chatId']),
    ...(isTakenBack ? ['state'] : []),
  ];
  if (changed.length === 0) return own;
  const name = isTakenBack ? 'number.release_cancelled' : 'number.attached';
  recordChange(tx, 'update', { name, id: own.id, changed });
  return tx.prisma.phoneNumber.update({
    where: { organizationId_id: { organizationId: own.organizationId, id: own.id } },
    data: { kind, ...(chatId === undefined ? {} : { chatId }), ...(isTakenBack ? { state: 'active', releasesAt: null } : {}) },
  });
}

/**
 * The number, if the practice has it now, also where it was released less than a day ago.
 * @throws Failure not_found for the call group of the order
 */
async function lockOwnNumber(tx: Tx, { number, chatId }: NumberOrder): Promise<PracticeNumber | null> {
  await requireChat(tx, chatId ?? null);
  await lockNumbers(tx);
  return tx.prisma.phoneNumber.findFirst({ where: { ...tx.practice, number, releasedAt: null } });
}

/**
 * Orders a number: it is reserved for the practice now, and a job buys it from the carrier (jobs/calls/reconcile-number-orders.ts).
 * @throws Failure conflict for a number that is not for sale, whoever has it, and for too many
 */
async function orderNumber(tx: Tx, { number, kind, chatId = null }: NumberOrder, forSale: NumberAvailability): Promise<PracticeNumber> {
  if (forSale.answer instanceof Failure) throw forSale.answer;
  if (!forSale.answer || (await findHolder(tx.prisma, number))) throw notForSale();
  const { carrier, most } = forSale;
  // A released number counts until it has left, so that no practice buys and returns numbers without end.
  if ((await tx.prisma.phoneNumber.count({ where: { ...tx.practice, releasedAt: null } })) >= most)
    throw conflict('too_many_numbers', `A practice has at most ${most} numbers. Release an unused one.`, 'number');
  const ordered = await tx.prisma.phoneNumber.create({ data: { ...tx.practice, number, kind, chatId, state: 'ordered', carrier } });
  await holdNumber(tx.prisma, { number, ...tx.practice, phoneNumberId: ordered.id });
  recordChange(tx, 'create', { name: 'number.ordered', id: ordered.id });
  return ordered;
}

/** Lists the numbers of a kind by id, optionally of one call group. @throws Failure not_found for a call group */
export async function listPracticeNumbers(
  tx: Tx,
  { kind, chatId }: { kind: NumberKind; chatId?: number },
  page: PageRequest,
): Promise<Page<PracticeNumber>> {
  if (chatId !== undefined) await requireChat(tx, chatId);
  const where: Prisma.PhoneNumberWhereInput = {
    ...tx.practice,
    kind,
    ...(chatId === undefined ? {} : { chatId }),
    // A refused number is listed with its reason until someone deletes it; a released one as long as it can be taken back.
    OR: [{ releasedAt: null }, { state: 'failed' }],
  };
  const [items, total] = await Promise.all([
    tx.prisma.phoneNumber.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.phoneNumber.count({ where }),
  ]);
  return { ...page, items, total };
}

export async function requireChat(tx: PracticeTx, id: number | null): Promise<void> {
  if (id === null) return;
  const chat = await tx.prisma.chat.findUnique({ where: tx.key(id), select: { id: true } });
  if (!chat) throw notFound('chat', 'chatId');
}

/** The numbers of the practice that it has or that are being bought, by id; not those that it is about to return. */
export function listOwnNumbers(tx: PracticeTx): Promise<PracticeNumber[]> {
  return tx.prisma.phoneNumber.findMany({
    where: { ...tx.practice, releasedAt: null, state: { in: ['ordered', 'active'] } },
    orderBy: { id: 'asc' },
  });
}
