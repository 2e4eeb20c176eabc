import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { parseContactSearch } from '../../messaging/contacts/contacts.ts';
import type { NamedPatient } from '../../patients/shared-numbers.sql.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readRecords } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toBounds, type WrittenRange } from '../../values/time/date-range.ts';
import {
  SESSION_OF_GUID,
  SESSION_OF_ID,
  SESSIONS,
  SESSIONS_BY_ID,
  type SessionFilters,
  type SessionRow,
  type SessionSort,
} from './session-lists.sql.ts';

/** A video session with its participants, invites and their delivery, without links. */
export type SessionRecord = SessionRow;
export type { SessionSort };

/** Filters of sessions, and of their pictures and recordings. An absent field does not filter. */
export interface SessionSearch {
  /**
   * Matches a patient or the host: the start of a name or of a word of the last name, both names in either order, or a
   * patient's phone number.
   */
  text?: string | undefined;
  /** Name of the field with the text, for errors. */
  field?: string | undefined;
  patientId?: number | undefined;
  hostUserId?: number | undefined;
  appointmentId?: number | undefined;
  dates?: WrittenRange | undefined;
}

export interface SessionFilter extends SessionSearch, Pick<SessionFilters, 'kind' | 'state' | 'ofPatients'> {}

const NEWEST_FIRST: SessionSort = { order: 'createdAt', descending: true };

/**
 * The video sessions of the organization, newest first unless another order is given. Dates are of when they took
 * place, or were opened where nobody has joined. Restricted and blocked patients are not named in them. Audited with the patients who are shown.
 */
export async function listSessions(
  tx: Tx,
  { text, field, dates, ...filter }: SessionFilter,
  page: PageRequest,
  sort: SessionSort = NEWEST_FIRST,
): Promise<Page<SessionRecord>> {
  const { found, bounds } = await readSessionSearch(tx, { text, field, dates });
  const wanted = { values: bounds, filter: { ...filter, ...found }, sort, page };
  const { items, total } = await readRecords(tx, SESSIONS, wanted, (ids) => tx.rows(SESSIONS_BY_ID, [ids]));
  recordMediaRead(tx, 'video_session', items.map(withNamed), 'search');
  return { ...page, items, total };
}

/** The id of a session, or its GUID. */
export type SessionKey = number | string;

/** One session, audited. @throws Failure not_found */
export async function readSession(tx: Tx, key: SessionKey): Promise<SessionRecord> {
  const [session] = await tx.rows(SESSIONS_BY_ID, [[await findSessionId(tx, key)]]);
  if (!session) throw notFound('video session');
  recordMediaRead(tx, 'video_session', [withNamed(session)], 'read');
  return session;
}

/** With the patients whom an invite names that was withdrawn. */
const withNamed = ({ id, patients, invites }: SessionRow) => ({
  id,
  patients: [...patients, ...invites.flatMap(({ patientId }) => (patientId === null ? [] : [{ id: patientId }]))],
});

/** The id of a session. @throws Failure not_found */
export async function findSessionId(tx: Tx, key: SessionKey): Promise<number> {
  const [session] = await tx.rows(typeof key === 'number' ? SESSION_OF_ID : SESSION_OF_GUID, [key]);
  if (!session) throw notFound('video session');
  return session.id;
}

/** The filter of a search text, and the bounds of the range of instants. */
export async function readSessionSearch(
  tx: Tx,
  { text = '', field, dates }: Pick<SessionSearch, 'text' | 'field' | 'dates'>,
): Promise<{ found: Pick<SessionFilters, 'name' | 'names' | 'number'>; bounds: [string, string] }> {
  const { search, texts } = parseContactSearch(text, field);
  const range = dates && (await readRange(dates, () => organizationZone(tx)));
  return { found: search === null ? {} : { [search]: texts }, bounds: toBounds(range) };
}

/** Audits that sessions, pictures or recordings were read, with the patients whom they name. */
export function recordMediaRead(
  caller: Caller,
  resource: string,
  items: { id: number; patients: Pick<NamedPatient, 'id'>[] }[],
  action: 'read' | 'search',
): void {
  if (items.length === 0) return;
  const patientIds = [...new Set(items.flatMap(({ patients }) => patients.map(({ id }) => id)))];
  recordReadWithPatients(caller, resource, { ids: items.map(({ id }) => id), patientIds }, action);
}
