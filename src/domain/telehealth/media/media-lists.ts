import type { Statement } from '../../../database/statements/statement.ts';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { Attachment } from '../../messaging/attachments/attachments.ts';
import type { Tx } from '../../tx.ts';
import { readRecords } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { findSessionId, readSessionSearch, recordMediaRead, type SessionKey, type SessionSearch } from '../sessions/session-lists.ts';
import {
  HIDDEN_MEDIA_SESSIONS,
  IMAGES,
  MEDIA,
  type MediaKind,
  type MediaRow,
  RECORDINGS,
  type RecordingRow,
  SESSIONS_CLOSED_TO_STAFF,
} from './media-lists.sql.ts';

/** A picture of a session, with the patient to whom it belongs. */
export type SessionImage = MediaRow;
export type SessionVideo = RecordingRow;

/** Filters of pictures and recordings. The dates are of when they were taken. */
export interface MediaFilter extends SessionSearch {
  session?: SessionKey | undefined;
  /** A part of the title. Case and accents are ignored. */
  title?: string | undefined;
}

/** Pictures of sessions, newest first. Audited with the patients to whom they belong. */
export const listImages = (tx: Tx, filter: MediaFilter, page: PageRequest): Promise<Page<SessionImage>> =>
  readPage(tx, { kind: 'image', records: IMAGES, filter, page });

/** Recordings of sessions, as listImages. */
export const listVideos = (tx: Tx, filter: MediaFilter, page: PageRequest): Promise<Page<SessionVideo>> =>
  readPage(tx, { kind: 'video', records: RECORDINGS, filter, page });

interface Listing<R extends MediaRow> {
  kind: MediaKind;
  records: Statement<R>;
  filter: MediaFilter;
  page: PageRequest;
}

const NEWEST_FIRST = { order: 'taken', descending: true } as const;
const NOUNS = { image: 'session image', video: 'session video' } as const;
const RESOURCES = { image: 'session_image', video: 'session_video' } as const;

async function readPage<R extends MediaRow>(tx: Tx, { kind, records, filter, page }: Listing<R>): Promise<Page<R>> {
  const { text, field, dates, session: key, ...given } = filter;
  const { found, bounds } = await readSessionSearch(tx, { text, field, dates });
  const session = key === undefined ? undefined : await findSessionId(tx, key);
  const values = [...bounds, await listHiddenSessions(tx)];
  const wanted = { values, filter: { ...given, ...found, session }, sort: NEWEST_FIRST, page };
  const { items, total } = await readRecords(tx, MEDIA[kind], wanted, (ids) => tx.rows(records, [ids]));
  recordMediaRead(tx, RESOURCES[kind], items, 'search');
  return { ...page, items, total };
}

/** The ids of the sessions with a restricted or blocked patient: their pictures and recordings that belong to nobody are not shown. */
async function listHiddenSessions(tx: Tx): Promise<number[]> {
  return (await tx.rows(HIDDEN_MEDIA_SESSIONS)).map(({ video_session_id: id }) => id);
}

/** The id of a session that takes pictures and recordings of staff. @throws Failure not_found; forbidden where they would not be shown */
export async function findSessionForMedia(tx: Tx, key: SessionKey): Promise<number> {
  const id = await findSessionId(tx, key);
  const closed = await tx.rows(SESSIONS_CLOSED_TO_STAFF);
  if (closed.some(({ video_session_id: session }) => session === id))
    throw forbidden('restricted_chart', 'Staff cannot add anything to this session, since the charts of all its patients are restricted.');
  return id;
}

/** One picture, audited. @throws Failure not_found */
export const readImage = (tx: Tx, id: number): Promise<SessionImage> => readOne(tx, { kind: 'image', records: IMAGES, id });

/** One recording, audited. @throws Failure not_found */
export const readVideo = (tx: Tx, id: number): Promise<SessionVideo> => readOne(tx, { kind: 'video', records: RECORDINGS, id });

async function readOne<R extends MediaRow>(
  tx: Tx,
  { kind, records, id }: Pick<Listing<R>, 'kind' | 'records'> & { id: number },
): Promise<R> {
  const [row] = await tx.rows(records, [[id]]);
  if (!row) throw notFound(NOUNS[kind]);
  recordMediaRead(tx, RESOURCES[kind], [row], 'read');
  return row;
}

/** The file of a picture, audited like the picture. @throws Failure not_found */
export async function readImageFile(tx: Tx, id: number): Promise<Attachment> {
  const image = await readImage(tx, id);
  const where = tx.key(id);
  return requireFile(
    tx,
    image,
    (await tx.prisma.sessionImage.findUnique({ where, select: { attachment: true } }))?.attachment,
    'session image',
  );
}

/** The file of a recording or of its thumbnail, audited like the recording. @throws Failure not_found, also without a thumbnail */
export async function readVideoFile(tx: Tx, { id, part }: { id: number; part: 'attachment' | 'thumbnail' }): Promise<Attachment> {
  const recording = await readVideo(tx, id);
  const where = tx.key(id);
  const video = await tx.prisma.sessionVideo.findUnique({ where, select: { attachment: true, thumbnail: true } });
  return requireFile(tx, recording, video?.[part], part === 'thumbnail' ? 'thumbnail' : 'session video');
}

function requireFile(caller: Caller, { patient_id }: MediaRow, file: Attachment | null | undefined, noun: string): Attachment {
  if (!file) throw notFound(noun);
  recordReadWithPatients(caller, 'attachment', { ids: [file.id], patientIds: patient_id === null ? [] : [patient_id] }, 'read');
  return file;
}
