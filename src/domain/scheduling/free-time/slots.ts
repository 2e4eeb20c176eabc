import { NONE } from '../../../database/statements/no-id.ts';
import { type CallerIdentity, readClientId } from '../../caller.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { nowIn } from '../../values/test-practices.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
import { momentAt, writeInstant, writeLocal } from '../../values/time/time.ts';
import { BUSY, LONGEST_APPOINTMENT_MS, type SlotType, TIMETABLE, type TimetableRow, toBusy } from './free-time.sql.ts';
import { type FreeTime, type FreeTimeQuery, findFreeTime } from './free-time.ts';
import type { Booker } from './opening-hours.ts';
import { SHOW_SLOTS, SHOWN_SLOTS, type SlotId } from './slots.sql.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Days of one search at most, and by default. */
const SEARCH_DAYS = { most: 31, usual: 7 } as const;
/** Times that one request looks at, at most, hours that overlap counted each: a fifth of a second of a processor. */
const MOST_TIMES = 50_000;

/** The slots that are sought. A list that is null passes all. */
export interface SlotFilter {
  providerIds: readonly number[] | null;
  officeIds: readonly number[] | null;
  /** Null for visits without a type, of the practice's usual length. */
  typeId: number | null;
  /** Null: now, and a week from there. */
  from: Date | null;
  before: Date | null;
  /** Names of the fields of the range, for errors. */
  fields: { min: string; max: string; type?: string };
  /** Also before the lead time, and after the latest one. */
  atAnyTime?: boolean;
  /** Searches of the same request, this one included. */
  searches?: number;
}

/** A free time with the id by which it is held or booked. */
export interface Slot {
  id: number;
  providerId: number;
  officeId: number;
  typeId: number | null;
  /** Instants such as `2026-03-08T14:30:00Z`, and the wall clock of the office. */
  startsAt: string;
  endsAt: string;
  localStart: string;
  timeZone: string;
  durationMinutes: number;
  modality: SlotType['modality'];
  capacity: number;
  left: number;
}

/** The free times of a search, before they are shown as slots. */
export interface FoundTimes {
  times: FreeTime[];
  zones: ReadonlyMap<number, string>;
  typeId: number | null;
  /** Null without a type. */
  type: SlotType | null;
}

export interface SlotSearch extends Pick<SlotFilter, 'providerIds' | 'officeIds' | 'typeId'> {
  dates: WrittenRange;
}

/** A page of free times, by start. @throws Failure as searchFreeTime */
export async function listSlots(tx: Tx, { dates, ...filter }: SlotSearch, page: PageRequest): Promise<Page<Slot>> {
  const { from, before } = await readRange(dates, () => organizationZone(tx));
  const found = await searchFreeTime(tx, { ...filter, from, before, fields: dates.fields }, toBooker(tx));
  const { skip, take } = window(page);
  return { ...page, items: await showSlots(tx, found, found.times.slice(skip, skip + take)), total: found.times.length };
}

/** For whom a caller books; a patient at a link is named by the page. */
export const toBooker = (caller: Pick<CallerIdentity, 'actor' | 'app'>): Booker =>
  readClientId(caller) !== null || caller.app !== undefined ? 'apps' : 'staff';

/** @throws Failure not_found for an unknown type; conflict for an inactive one; invalid for a range of more than 31 days, or of too many times */
export async function searchFreeTime(tx: PracticeTx, filter: SlotFilter, by: Booker): Promise<FoundTimes> {
  const { providerIds, officeIds, typeId } = filter;
  const now = nowIn(tx.organizationId).getTime();
  const range = toRange(filter, now);
  const [around, until] = [new Date(range.from - LONGEST_APPOINTMENT_MS), new Date(range.until + LONGEST_APPOINTMENT_MS)];
  const [row] = await tx.rows(TIMETABLE, [providerIds, officeIds, writeLocal(around), writeLocal(until), typeId ?? NONE]);
  if (!row) throw notFound('organization');
  if (typeId !== null && row.type === null) throw notFound('appointment type', filter.fields.type ?? 'typeId');
  if (row.type?.active === false) throw conflict('inactive_type', 'The appointment type is inactive and has no slots.', 'typeId');
  const zones = new Map(row.offices.map(({ id, zone }) => [id, zone]));
  const found = { zones, typeId, type: row.type };
  if (row.type?.bookableBy.includes(by) === false) return { ...found, times: [] };
  const bound = { most: MOST_TIMES / (filter.searches ?? 1), field: filter.fields.max };
  const query = { ...toQuery(row, range, { now, typeId, by, atAnyTime: filter.atAnyTime ?? false }), ...bound };
  const providers = providersIn(row);
  const busy = providers.length === 0 ? [] : toBusy(await tx.rows(BUSY, [providers, around, until]));
  return { ...found, times: findFreeTime({ ...row, zones }, busy, query) };
}

const providersIn = ({ hours, exceptions }: TimetableRow): number[] => [
  ...new Set([...hours, ...exceptions.filter(({ available }) => available)].flatMap(({ providerId }) => providerId ?? [])),
];

function toRange({ from, before, fields }: SlotFilter, now: number): { from: number; until: number } {
  const begin = from?.getTime() ?? Math.min(now, (before?.getTime() ?? now) - 1);
  const until = before?.getTime() ?? begin + SEARCH_DAYS.usual * DAY_MS;
  // A day more for the clocks, and for the last day of the range.
  if (until - begin > (SEARCH_DAYS.most + 1) * DAY_MS)
    throw invalid(fields.max, `must be at most ${SEARCH_DAYS.most} days after ${fields.min}`, 'range_too_long');
  return { from: begin, until };
}

function toQuery(
  { type, defaultMinutes }: TimetableRow,
  { from, until }: { from: number; until: number },
  { now, typeId, by, atAnyTime }: { now: number; typeId: number | null; by: Booker; atAnyTime: boolean },
): Omit<FreeTimeQuery, 'most' | 'field'> {
  const latest = atAnyTime || type?.latestDays == null ? until : Math.min(until, now + type.latestDays * DAY_MS);
  return {
    from: Math.max(from, now + (atAnyTime ? 0 : (type?.leadMinutes ?? 0)) * MINUTE_MS),
    until: latest,
    typeId,
    length: (type?.minutes ?? defaultMinutes) * MINUTE_MS,
    bufferBefore: (type?.bufferBefore ?? 0) * MINUTE_MS,
    bufferAfter: (type?.bufferAfter ?? 0) * MINUTE_MS,
    capacity: type?.capacity ?? 1,
    by,
  };
}

/** Gives free times the ids by which they are booked: the same each time. Slots of a practice are no patient's, so nothing is audited. */
export async function showSlots(tx: PracticeTx, { zones, typeId, type }: FoundTimes, shown: readonly FreeTime[]): Promise<Slot[]> {
  if (shown.length === 0) return [];
  const stored = shown.map((time) => ({
    provider_id: time.providerId,
    office_id: time.officeId,
    type_id: typeId ?? NONE,
    capacity: time.capacity,
    starts_at: new Date(time.start),
    ends_at: new Date(time.end),
  }));
  const ids = idsByTime(await tx.rows(SHOWN_SLOTS, [JSON.stringify(stored)]));
  const missing = stored.filter((_, index) => !ids.has(toKey(shown[index])));
  if (missing.length > 0) for (const [key, id] of idsByTime(await tx.rows(SHOW_SLOTS, [JSON.stringify(missing)]))) ids.set(key, id);
  return shown.flatMap((time) => {
    const id = ids.get(toKey(time));
    const timeZone = zones.get(time.officeId) ?? 'UTC';
    const { providerId, officeId, capacity, left } = time;
    return id === undefined
      ? []
      : {
          id,
          providerId,
          officeId,
          typeId,
          timeZone,
          capacity,
          left,
          modality: type?.modality ?? ('in_person' as const),
          startsAt: writeInstant(new Date(time.start)),
          endsAt: writeInstant(new Date(time.end)),
          localStart: writeLocal(momentAt(new Date(time.start), timeZone).local) ?? '',
          durationMinutes: (time.end - time.start) / MINUTE_MS,
        };
  });
}

const toKey = (time: FreeTime | undefined): string => `${time?.providerId} ${time?.officeId} ${time?.start}`;
const idsByTime = (rows: readonly SlotId[]): Map<string, number> =>
  new Map(rows.map(({ id, providerId, officeId, startsAt }) => [`${providerId} ${officeId} ${startsAt.getTime()}`, id]));
