import { Failure, notFound } from '../../errors.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import type { FreeTime } from '../free-time/free-time.ts';
import { type FoundTimes, searchFreeTime } from '../free-time/slots.ts';
import { whereVisibleType } from '../types/appointment-types.ts';
import type { BookingLink } from './booking-links.ts';

const DAY_MS = 86_400_000;
/** Days of free times that a page shows at once, at most. */
const SHOWN_DAYS = 31;

export interface ShownTime {
  startsAt: Date;
  timeZone: string;
  provider: string;
  office: string;
  type: string;
}

export interface BookableType {
  id: number;
  name: string;
}

/** The types, providers and offices of which a visit is booked; all where a list is empty. */
export type BookingScope = Pick<BookingLink, 'typeIds' | 'providerIds' | 'officeIds'>;

/** A page at which a time is chosen. */
export interface ChoicePage {
  practice: LinkPractice;
  /** By which the patient is greeted. */
  patientName: string | null;
  link: BookingScope;
  visit: ShownTime | null;
  types: BookableType[];
  /** They wait for a time of these types. */
  waitsFor: number[];
}

/** The page at which anybody books. Null for an unknown or closed practice, and for one that has no such page. */
export async function openPublicPage(tx: Tx): Promise<ChoicePage | null> {
  const practice = await findLinkPractice(tx);
  if (!practice?.publicBooking) return null;
  const link = { typeIds: [], providerIds: [], officeIds: [] };
  return { practice, link, types: await listBookableTypes(tx, link), patientName: null, visit: null, waitsFor: [] };
}

export async function listBookableTypes(tx: Tx, { typeIds }: BookingScope): Promise<BookableType[]> {
  const only = typeIds.length > 0 ? { id: { in: typeIds } } : {};
  const where = { ...whereVisibleType(tx), active: true, bookableBy: { has: 'patient' }, ...only };
  return tx.prisma.appointmentType.findMany({ where, select: { id: true, name: true }, orderBy: [{ name: 'asc' }, { id: 'asc' }] });
}

/** Free times of a type at a link, of some days. @throws Failure not_found for a type that is not bookable there; as searchFreeTime */
export async function listOpenTimes(
  tx: Tx,
  link: BookingScope,
  { typeId, from, days }: { typeId: number; from: Date; days: number },
): Promise<FoundTimes & { until: Date }> {
  if (!(await listBookableTypes(tx, link)).some(({ id }) => id === typeId)) throw notFound('appointment type');
  const until = new Date(from.getTime() + days * DAY_MS);
  const { providerIds, officeIds } = link;
  const filter = {
    typeId,
    from,
    before: until,
    providerIds: providerIds.length > 0 ? providerIds : null,
    officeIds: officeIds.length > 0 ? officeIds : null,
    fields: { min: 'from', max: 'until' },
  };
  return { ...(await searchFreeTime(tx, filter, 'patient')), until };
}

/** The same of a month from a day on; of fewer days where those are too many times. */
export async function listOpenDays(tx: Tx, link: BookingScope, typeId: number, from: Date) {
  const list = (days: number) => listOpenTimes(tx, link, { typeId, from, days });
  const orFewer = (days: number) => (error: unknown) => {
    if (error instanceof Failure && error.issues.some(({ code }) => code === 'too_many_times')) return list(days);
    throw error;
  };
  return list(SHOWN_DAYS).catch(orFewer(7)).catch(orFewer(1));
}

/** Names of providers and offices, for a page of times. */
export async function namePlaces(tx: Tx, times: readonly FreeTime[]) {
  const [providers, offices] = await Promise.all([
    tx.prisma.provider.findMany({ where: { ...tx.practice, id: { in: [...new Set(times.map(({ providerId }) => providerId))] } } }),
    tx.prisma.office.findMany({ where: { ...tx.practice, id: { in: [...new Set(times.map(({ officeId }) => officeId))] } } }),
  ]);
  return { providers, offices };
}

/** A time that somebody chose. */
export interface Choice {
  typeId: number;
  time: Pick<FreeTime, 'start' | 'providerId' | 'officeId'>;
}

/** The time that somebody chose, while it is free. @throws Failure not_found for a type that is not bookable there */
export async function findOpenTime(tx: Tx, link: BookingScope, { typeId, time }: Choice): Promise<FoundTimes> {
  const narrowTo = (ids: number[], id: number) => (ids.length === 0 || ids.includes(id) ? [id] : ids);
  const scope = { ...link, providerIds: narrowTo(link.providerIds, time.providerId), officeIds: narrowTo(link.officeIds, time.officeId) };
  const found = await listOpenTimes(tx, scope, { typeId, from: new Date(time.start - DAY_MS), days: 2 });
  const isChosen = ({ start, providerId, officeId }: FreeTime) =>
    start === time.start && providerId === time.providerId && officeId === time.officeId;
  return { ...found, times: found.times.filter(isChosen) };
}
