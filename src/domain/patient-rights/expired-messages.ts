import { Prisma } from '../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../audit/journal-entries.ts';
import { removePictures } from '../messaging/attachments/pictures.ts';
import type { Tx } from '../tx.ts';
import { type Expiry, isFree, isFreeNumber, isInNoOpenItem, nextPage, PAGE, type PageRow } from './expired-page.ts';

/**
 * Deletes the old texts of a page. Kept are those that wait to be sent, those of an open conversation, and those that ask about an
 * appointment to come. Records that a text brought, such as a check-in and its answers, stay.
 * @returns as nextPage
 */
export async function removeOldTexts(tx: Tx, { before, after, held }: Expiry): Promise<number | null> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<PageRow[]>`
    SELECT m.id, m.patient_id AS "patientId", m.queued_at < ${before} AS old,
           m.queued_at < ${before} AND m.state <> 'queued'
           AND ${isFree(Prisma.sql`m.patient_id`, held)}
           AND ${isFreeNumber(Prisma.sql`m.from_number`, held)} AND ${isFreeNumber(Prisma.sql`m.to_number`, held)}
           AND ${isInNoOpenItem(organizationId, 'text')}
           AND NOT EXISTS (SELECT FROM appointment a
                            WHERE a.organization_id = ${organizationId} AND a.id = m.appointment_id AND a.ends_at > now())
           AND NOT EXISTS (SELECT FROM text_appointment n
                             JOIN appointment a ON a.organization_id = n.organization_id AND a.id = n.appointment_id
                            WHERE n.organization_id = ${organizationId} AND n.sms_message_id = m.id AND a.ends_at > now()) AS due
      FROM (SELECT * FROM sms_message WHERE organization_id = ${organizationId} AND id > ${after} ORDER BY id LIMIT ${PAGE}) m
     ORDER BY m.id`;
  const due = rows.filter((row) => row.due);
  await removeTexts(
    tx,
    due.map(({ id }) => id),
  );
  for (const row of due) recordChange(tx, 'delete', { name: 'text.deleted', id: row.id }, toPatientIds(row));
  return nextPage(rows);
}

/** Deletes texts, and takes them out of the records that name them. */
export async function removeTexts(tx: Tx, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await removePictures(tx, ids);
  const where = { ...tx.practice, smsMessageId: { in: ids } };
  const without = { smsMessageId: null };
  await tx.prisma.textAppointment.deleteMany({ where });
  await tx.prisma.checkIn.updateMany({ where, data: without });
  await tx.prisma.externalMessage.updateMany({ where, data: without });
  await tx.prisma.sessionInvite.updateMany({ where, data: without });
  await tx.prisma.lateNotice.updateMany({ where, data: without });
  await tx.prisma.visitMessage.updateMany({ where, data: without });
  await tx.prisma.bookingLink.updateMany({ where, data: without });
  await tx.prisma.monitoringAlert.updateMany({ where: { ...tx.practice, patientTextId: { in: ids } }, data: { patientTextId: null } });
  await tx.prisma.smsMessage.deleteMany({ where: { ...tx.practice, id: { in: ids } } });
}

/** Deletes the old mails of a page that do not wait to be sent. @returns as nextPage */
export async function removeOldMails(tx: Tx, { before, after, held }: Expiry): Promise<number | null> {
  const { organizationId } = tx;
  const rows = await tx.prisma.$queryRaw<PageRow[]>`
    SELECT m.id, m.patient_id AS "patientId", m.queued_at < ${before} AS old,
           m.queued_at < ${before} AND m.state <> 'queued' AND ${isFree(Prisma.sql`m.patient_id`, held)} AS due
      FROM (SELECT * FROM mail_message WHERE organization_id = ${organizationId} AND id > ${after} ORDER BY id LIMIT ${PAGE}) m
     ORDER BY m.id`;
  const due = rows.filter((row) => row.due);
  const where = { organizationId, mailMessageId: { in: due.map(({ id }) => id) } };
  if (due.length > 0) {
    await tx.prisma.checkIn.updateMany({ where, data: { mailMessageId: null } });
    await tx.prisma.externalMessage.updateMany({ where, data: { mailMessageId: null } });
    await tx.prisma.sessionInvite.updateMany({ where, data: { mailMessageId: null } });
    await tx.prisma.visitMessage.updateMany({ where, data: { mailMessageId: null } });
    await tx.prisma.bookingLink.updateMany({ where, data: { mailMessageId: null } });
    await tx.prisma.mailMessage.deleteMany({ where: { organizationId, id: { in: due.map(({ id }) => id) } } });
  }
  for (const row of due) recordChange(tx, 'delete', { name: 'mail.deleted', id: row.id }, toPatientIds(row));
  return nextPage(rows);
}
