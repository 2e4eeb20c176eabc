import { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../audit/journal-entries.ts';
import { detachFile } from '../messaging/attachments/attachments.ts';
import { removePictures } from '../messaging/attachments/pictures.ts';
import { removeMedia } from '../telehealth/media/media-corrections.ts';
import type { MediaKind } from '../telehealth/media/media-lists.sql.ts';
import type { Tx } from '../tx.ts';
import { type Expiry, isFree, isFreeNumber, isInNoOpenItem, nextPage, PAGE, type PageRow } from './expired-page.ts';

/** SQL: whether the patients whom `m` shows, and who made it, are nobody who is held. */
const isFreeMedia = (organizationId: number, { held }: Expiry): Prisma.Sql => Prisma.sql`
  ${isFree(Prisma.sql`m.patient_id`, held)} AND NOT EXISTS (
    SELECT FROM session_participant p
     WHERE p.organization_id = ${organizationId} AND p.id IN (m.shown_participant_id, m.maker_participant_id)
       AND p.patient_id = ANY (${held.charts}::int[]))`;

/** The tables of pictures and recordings, and the columns that say when each was made. */
const MEDIA = {
  image: { table: Prisma.sql`session_image`, madeAt: Prisma.sql`m.taken_at` },
  video: { table: Prisma.sql`session_video`, madeAt: Prisma.sql`m.recorded_at` },
} as const satisfies Record<MediaKind, { table: Prisma.Sql; madeAt: Prisma.Sql }>;

/** Deletes the old pictures, or recordings, of video sessions of a page, with their files. @returns as nextPage */
export const removeOldMedia =
  (kind: MediaKind) =>
  async (tx: Tx, expiry: Expiry): Promise<number | null> => {
    const { table, madeAt } = MEDIA[kind];
    const rows = await tx.prisma.$queryRaw<PageRow[]>`
      SELECT m.id, m.patient_id AS "patientId", ${madeAt} < ${expiry.before} AS old,
             ${madeAt} < ${expiry.before} AND ${isFreeMedia(tx.organizationId, expiry)} AS due
        FROM (SELECT * FROM ${table} WHERE organization_id = ${tx.organizationId} AND id > ${expiry.after} ORDER BY id LIMIT ${PAGE}) m
       ORDER BY m.id`;
    for (const row of rows.filter(({ due }) => due)) await removeMedia(tx, kind, row.id, toPatientIds(row));
    return nextPage(rows);
  };

interface WithFile extends PageRow {
  attachmentId: number;
}

/** Deletes the recordings of the old voice messages of a page; the messages and their transcripts stay. @returns as nextPage */
export async function removeOldVoiceRecordings(tx: Tx, { before, after, held }: Expiry): Promise<number | null> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<WithFile[]>`
    SELECT m.id, m.patient_id AS "patientId", m.attachment_id AS "attachmentId", m.received_at < ${before} AS old,
           m.received_at < ${before} AND ${isFree(Prisma.sql`m.patient_id`, held)} AND ${isFreeNumber(Prisma.sql`m.from_number`, held)}
           AND ${isInNoOpenItem(organizationId, 'voice_pager_message')} AS due
      FROM (SELECT * FROM voice_pager_message
             WHERE organization_id = ${organizationId} AND id > ${after} AND attachment_id IS NOT NULL ORDER BY id LIMIT ${PAGE}) m
     ORDER BY m.id`;
  for (const row of rows.filter(({ due }) => due)) {
    const where = tx.key(row.id);
    await tx.prisma.voicePagerMessage.update({
      where,
      data: { attachmentId: null, recordingUrl: null, recordingDueAt: null },
      select: { id: true },
    });
    recordChange(tx, 'update', { name: 'voice_message.changed', id: row.id, changed: ['attachment'] }, toPatientIds(row));
    await detachFile(tx, row.attachmentId);
  }
  return nextPage(rows);
}

/** Deletes the pictures of the old texts of a page; their words stay. @returns as nextPage */
export async function removeOldTextPictures(tx: Tx, { before, after, held }: Expiry): Promise<number | null> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<PageRow[]>`
    SELECT m.id, m.patient_id AS "patientId", m.queued_at < ${before} AS old,
           m.queued_at < ${before} AND ${isFree(Prisma.sql`m.patient_id`, held)} AND ${isFreeNumber(Prisma.sql`m.from_number`, held)}
           AND ${isInNoOpenItem(organizationId, 'text')} AS due
      FROM (SELECT * FROM sms_message s
             WHERE s.organization_id = ${organizationId} AND s.id > ${after} AND EXISTS (
                   SELECT FROM text_picture g WHERE g.organization_id = ${organizationId} AND g.sms_message_id = s.id)
             ORDER BY s.id LIMIT ${PAGE}) m
     ORDER BY m.id`;
  const due = rows.filter((row) => row.due);
  await removePictures(
    tx,
    due.map(({ id }) => id),
  );
  for (const row of due)
    recordChange(tx, 'update', { name: 'text.pictures_deleted', id: row.id, changed: ['pictures'] }, toPatientIds(row));
  return nextPage(rows);
}

/** Deletes the files of the old messages of a page whose links have expired; their words stay. @returns as nextPage */
export async function removeOldMessageFiles(tx: Tx, { before, after, held }: Expiry): Promise<number | null> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<PageRow[]>`
    SELECT m.id, m.patient_id AS "patientId", m.created_at < ${before} AS old,
           m.created_at < ${before} AND m.expires_at < now() AND ${isFree(Prisma.sql`m.patient_id`, held)} AS due
      FROM (SELECT * FROM external_message WHERE organization_id = ${organizationId} AND id > ${after} ORDER BY id LIMIT ${PAGE}) m
     ORDER BY m.id`;
  const due = rows.filter((row) => row.due);
  const where = { organizationId, externalMessageId: { in: due.map(({ id }) => id) } };
  const files = await tx.prisma.externalMessageAttachment.findMany({ where, select: { attachmentId: true } });
  await tx.prisma.externalMessageAttachment.deleteMany({ where });
  for (const attachmentId of new Set(files.map((file) => file.attachmentId))) await detachFile(tx, attachmentId);
  return nextPage(rows);
}

/** Deletes the old files of a page that were uploaded for a message, a picture or a recording that there never was. @returns as nextPage */
export async function removeOldDrafts(tx: Tx, { before, after }: Expiry): Promise<number | null> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<PageRow[]>`
    SELECT m.id, NULL AS "patientId", m.created_at < ${before} AS old,
           m.created_at < ${before}
           AND NOT EXISTS (SELECT FROM external_message_attachment x WHERE x.organization_id = ${organizationId} AND x.attachment_id = m.id)
           AND NOT EXISTS (SELECT FROM voice_pager_message v WHERE v.organization_id = ${organizationId} AND v.attachment_id = m.id)
           AND NOT EXISTS (SELECT FROM text_picture g WHERE g.organization_id = ${organizationId} AND g.attachment_id = m.id)
           AND NOT EXISTS (SELECT FROM session_image s WHERE s.organization_id = ${organizationId} AND s.attachment_id = m.id)
           AND NOT EXISTS (SELECT FROM session_image s WHERE s.organization_id = ${organizationId} AND s.thumbnail_attachment_id = m.id)
           AND NOT EXISTS (SELECT FROM session_video s WHERE s.organization_id = ${organizationId} AND s.attachment_id = m.id)
           AND NOT EXISTS (SELECT FROM session_video s WHERE s.organization_id = ${organizationId} AND s.thumbnail_attachment_id = m.id) AS due
      FROM (SELECT * FROM attachment WHERE organization_id = ${organizationId} AND id > ${after} ORDER BY id LIMIT ${PAGE}) m
     ORDER BY m.id`;
  for (const { id } of rows.filter(({ due }) => due)) await detachFile(tx, id);
  return nextPage(rows);
}
