import { Temporal } from 'temporal-polyfill';
import { type Page, type PageRequest, window } from '../paging.ts';

/** A zone of the IANA database and its offset now. */
export interface TimeZone {
  name: string;
  /** `+05:30` */
  offset: string;
  /** Minutes ahead of UTC. */
  offsetMinutes: number;
  /** The local abbreviation, such as EDT; else the offset, such as GMT+5:30. */
  abbreviation: string;
}

/** Current IANA names of zones that the runtime lists under an old one. */
const RENAMED: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Names of a fixed offset: the runtime would call them by a place that keeps it, where the practice is not. */
const FIXED = new Set(['EST', 'HST', 'MST']);

const NAMES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map((name) => RENAMED[name] ?? name)])].sort();

/**
 * The present name of a zone of the IANA database, of which others are aliases: America/New_York for US/Eastern. Else null;
 * offsets are not zones.
 */
export function readTimeZone(text: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return null;
  const known = presentNames.get(text);
  if (known !== undefined) return known;
  const name = findPresentName(text);
  if (presentNames.size >= MAX_KEPT) presentNames.clear();
  if (name !== null) presentNames.set(text, name);
  return name;
}

/** Whether two names are of one zone; a row that was stored long ago may have an alias. */
export const isSameZone = (one: string, other: string): boolean =>
  one === other || (readTimeZone(one) ?? one) === (readTimeZone(other) ?? other);

/** More than the database has names; they may be written in any case. */
const MAX_KEPT = 2_000;
/** Kept, since a format is slow to create. */
const presentNames = new Map<string, string>();

function findPresentName(text: string): string | null {
  try {
    const spelled = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
    if (FIXED.has(spelled)) return spelled;
    const name = new Intl.DateTimeFormat('en-US', { timeZone: spelled }).resolvedOptions().timeZone;
    return RENAMED[name] ?? name;
  } catch {
    return null;
  }
}

/** Clock changes are at full minutes. */
const MINUTE_MS = 60_000;
let kept: { minute: number; zones: TimeZone[] } | undefined;

/** A page of all zones by name, as of a moment. */
export function pageOfTimeZones(now: Date, page: PageRequest): Page<TimeZone> {
  const { skip, take } = window(page);
  const zones = zonesAt(now);
  return { ...page, items: zones.slice(skip, skip + take), total: zones.length };
}

/** Computed once a minute. */
function zonesAt(now: Date): TimeZone[] {
  const minute = Math.floor(now.getTime() / MINUTE_MS);
  if (kept?.minute !== minute) kept = { minute, zones: NAMES.map((name) => timeZoneAt(name, now)) };
  return kept.zones;
}

function timeZoneAt(name: string, now: Date): TimeZone {
  const zoned = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(name);
  return { name, offset: zoned.offset, offsetMinutes: zoned.offsetNanoseconds / 60_000_000_000, abbreviation: findAbbreviation(name, now) };
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats are cached, since they are slow to create. */
function findAbbreviation(name: string, now: Date): string {
  const format = formats.get(name) ?? new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'short' });
  formats.set(name, format);
  return format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? name;
}
