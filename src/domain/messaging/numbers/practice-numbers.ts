import type { Db } from '../../../database/database.ts';
import { type AvailableNumber, type Carrier, CarrierRefusal, type NumberSearch } from '../../../gateways/carrier.ts';
import type { PhoneNumber, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { conflict, Failure, forbidden, invalid, notFound, unavailable } from '../../errors.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';

export type NumberKind = PhoneNumber['kind'];

/** A number of the practice: bought, being bought, or refused by the carrier. */
export type PracticeNumber = PhoneNumber;

/** A number with its use and the call group that it rings; null for none. */
export interface NumberOrder {
  /** E.164, North American. */
  number: string;
  kind: NumberKind;
  chatId: number | null;
}

/**
 * Searches numbers for sale, leaving out those that an organization of this server has.
 * @throws Failure unavailable
 */
export async function searchAvailableNumbers(db: Db, carrier: Carrier, wanted: NumberSearch): Promise<AvailableNumber[]> {
  const found = await carrier.searchNumbers(wanted).catch((error: unknown) => {
    if (error instanceof CarrierRefusal) throw invalid('contains', 'is no pattern that the carrier can search by', 'unsupported_pattern');
    throw carrierUnavailable(error);
  });
  const held = await db.phoneNumber.findMany({
    where: { number: { in: found.map(({ number }) => number) }, releasedAt: null },
    select: { number: true },
  });
  const gone = new Set(held.map(({ number }) => number));
  return found.filter(({ number }) => !gone.has(number));
}

const carrierUnavailable = (cause: unknown) => unavailable('The carrier does not answer. Try again in a moment.', cause);

/** Whether the carrier sells a number, or the failure of asking it. Looked up before the transaction of the order. */
export interface NumberAvailability {
  carrier: Carrier['name'];
  answer: boolean | Failure;
}

export async function checkAvailability(carrier: Carrier, number: string): Promise<NumberAvailability> {
  const wanted = { areaCode: number.slice(2, 5), contains: number.slice(2), limit: 1 };
  const answer = await carrier.searchNumbers(wanted).then(
    ([found]) => found?.number === number,
    (error: unknown) => (error instanceof CarrierRefusal ? false : carrierUnavailable(error)),
  );
  return { carrier: carrier.name, answer };
}

/**
 * Orders a number: it is reserved for the practice now, and a job buys it from the carrier
 * (jobs/reconcile-number-orders.ts).
 * @throws Failure not_found for a call group; conflict for a number that is not for sale, whoever has it
 */
export async function orderNumber(
  db: Db,
  caller: Caller,
  { number, kind, chatId }: NumberOrder,
  forSale: NumberAvailability,
): Promise<PracticeNumber> {
  await requireChat(db, caller, chatId);
  const { organizationId } = caller;
  const held = await db.phoneNumber.findFirst({ where: { number, releasedAt: null }, select: { organizationId: true } });
  if (held?.organizationId === organizationId) throw conflict('number_owned', 'The practice has this number already.', 'number');
  if (forSale.answer instanceof Failure) throw forSale.answer;
  if (held || !forSale.answer) throw conflict('number_not_available', 'This number is not for sale.', 'number');
  const { carrier } = forSale;
  const ordered = await db.phoneNumber.create({ data: { organizationId, number, kind, chatId, state: 'ordered', carrier } });
  recordChange(caller, 'create', { name: 'number.ordered', subject: 'phone_number', id: ordered.id });
  return ordered;
}

/**
 * Assigns a number of the practice to fax or voice pager and to a call group. A number that the practice does not have
 * is ordered, which takes an admin.
 * @throws Failure as orderNumber; conflict for a number that already has the other use
 */
export async function assignNumber(db: Db, caller: Caller, order: NumberOrder, forSale: NumberAvailability): Promise<PracticeNumber> {
  await requireChat(db, caller, order.chatId);
  const { organizationId } = caller;
  const { number, kind, chatId } = order;
  const own = await db.phoneNumber.findFirst({ where: { organizationId, number, releasedAt: null } });
  if (!own) {
    if (caller.role !== 'admin') throw forbidden('wrong_role', 'The practice does not have this number, and only an admin may buy it.');
    return orderNumber(db, caller, order, forSale);
  }
  // Of two concurrent assignments to different uses, the second fails.
  const { count } = await db.phoneNumber.updateMany({
    where: { organizationId, id: own.id, releasedAt: null, kind: { in: ['plain', kind] } },
    data: { kind, chatId },
  });
  if (count === 0) throw conflict('number_in_use', 'This number does something else already. Release it there first.', 'number');
  const changed = [...(own.kind === kind ? [] : ['kind']), ...(own.chatId === chatId ? [] : ['chatId'])];
  if (changed.length > 0) recordChange(caller, 'update', { name: 'number.attached', subject: 'phone_number', id: own.id, changed });
  return { ...own, kind, chatId };
}

/**
 * Lists the numbers of a kind by id, optionally of one call group.
 * @throws Failure not_found for a call group
 */
export async function listPracticeNumbers(
  db: Db,
  caller: CallerIdentity,
  { kind, chatId }: { kind: NumberKind; chatId?: number },
  page: PageRequest,
): Promise<Page<PracticeNumber>> {
  if (chatId !== undefined) await requireChat(db, caller, chatId);
  const where: Prisma.PhoneNumberWhereInput = {
    organizationId: caller.organizationId,
    kind,
    ...(chatId === undefined ? {} : { chatId }),
    // A refused number is listed with its reason until someone deletes it.
    state: { in: ['ordered', 'active', 'failed'] },
  };
  const [items, total] = await Promise.all([
    db.phoneNumber.findMany({ where, orderBy: { id: 'asc' }, ...window(page) }),
    db.phoneNumber.count({ where }),
  ]);
  return { ...page, items, total };
}

/**
 * Releases a number: the practice no longer has it, and a job returns it to the carrier. Calls and messages that came
 * in on it stay.
 * @throws Failure not_found; conflict for a number of another kind, or while it is being bought
 */
export async function releaseNumber(db: Db, caller: Caller, kind: NumberKind, id: number): Promise<void> {
  const { organizationId } = caller;
  // Serializes with the job that buys the number and with other releases.
  await db.$queryRaw`SELECT id FROM phone_number WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const found = await db.phoneNumber.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!found || found.state === 'releasing' || found.state === 'released') throw notFound('number');
  if (found.kind !== kind) throw conflict('number_of_another_kind', `This number is ${found.kind}, not ${kind}.`);
  if (found.state === 'ordered') throw conflict('number_ordered', 'The number is being bought. Try again in a moment.');
  await db.phoneNumber.update({
    where: { organizationId_id: { organizationId, id } },
    // A number that the carrier never sold needs no return.
    data: { state: found.state === 'failed' || found.carrierId === null ? 'released' : 'releasing', releasedAt: new Date(), attempts: 0 },
  });
  recordChange(caller, 'delete', { name: 'number.released', subject: 'phone_number', id });
}

export async function requireChat(db: Db, { organizationId }: CallerIdentity, id: number | null): Promise<void> {
  if (id === null) return;
  const chat = await db.chat.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  if (!chat) throw notFound('chat', 'chatId');
}
