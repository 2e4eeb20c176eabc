import type { Db } from '../../database/database.ts';
import { statement } from '../../database/statements/statement.ts';
import { detachFile } from '../messaging/attachments/attachments.ts';
import { mailReference } from '../messaging/sending/outgoing-mails.ts';
import { textReference } from '../messaging/sending/outgoing-texts.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { removeTexts } from './expired-messages.ts';
import { PATIENT_TABLES } from './patient-tables.ts';
import { isOfPatient, listLinkValues, type PatientRecords, type StoredRow } from './read-patient-tables.ts';

/** Deleted by other means than its row: a room's row has nothing of its guests, and a file may be of others too. */
const NOT_BY_ROW = ['video_session', 'attachment'];

/** Further conditions of a deletion: that the row is of nobody else. */
const OF_NOBODY_ELSE: Readonly<Record<string, string>> = {
  monitoring_device:
    'NOT EXISTS (SELECT FROM reading r WHERE r.organization_id = $1::int AND r.device_id = t.id AND r.patient_id <> ALL ($2))',
  opt_out: `NOT EXISTS (SELECT FROM patient p WHERE p.organization_id = $1::int AND p.mobile_phone = t.number AND p.id <> ALL ($2))
    AND NOT EXISTS (SELECT FROM contact c WHERE c.organization_id = $1::int AND c.phone = t.number
                       AND (c.patient_id IS NULL OR c.patient_id <> ALL ($2)) AND c.id <> ALL ($2))`,
};

const DELETIONS = PATIENT_TABLES.filter(({ table }) => !NOT_BY_ROW.includes(table)).map((table) => ({
  ...table,
  query: statement<never>(
    `patient_erase_${table.table}`,
    `DELETE FROM ${table.table} t WHERE ${isOfPatient(table)} AND ${OF_NOBODY_ELSE[table.table] ?? 'true'}`,
  ),
}));

/** Deletes all rows of a person, in the caller's transaction. @param records of all charts, as that transaction sees them */
export async function deletePatientTables(tx: Tx, charts: readonly number[], records: PatientRecords): Promise<void> {
  const { rooms, files } = await emptyRooms(tx, charts, records);
  await removeTexts(tx, listIds(records.sms_message));
  await deleteCopies(tx, charts, records);
  const order = await deletionOrder(tx.prisma);
  const filled = DELETIONS.filter(({ table }) => (records[table] ?? []).length > 0);
  for (const { query, ...table } of filled.toSorted((a, b) => order.indexOf(a.table) - order.indexOf(b.table)))
    await tx.rows(query, [charts, ...listLinkValues(table, records)]);
  await tx.prisma.sessionInvite.deleteMany({ where: { ...rooms, patientId: null, participants: { none: tx.practice } } });
  for (const id of new Set([...listIds(records.attachment), ...files])) await detachFile(tx, id);
}

const listIds = (rows: readonly StoredRow[] = []): number[] => rows.map(({ id }) => Number(id));

/**
 * Ends the sessions of the person's appointments and closes their links. Of rooms that no other patient was in goes what anybody said,
 * sent or showed there, and the guests without charts: they may be the person.
 * @returns those rooms, as a condition, and the ids of the files of that media
 */
async function emptyRooms(tx: PracticeTx, charts: readonly number[], records: PatientRecords) {
  const { organizationId } = tx;
  await tx.prisma.$executeRaw`
    UPDATE video_session SET appointment_id = NULL, expires_at = least(expires_at, now()), ended_at = least(ended_at, now())
     WHERE organization_id = ${organizationId} AND appointment_id = ANY (${listIds(records.appointment)}::bigint[])`;
  const own = await tx.prisma.$queryRaw<{ id: number }[]>`
    SELECT s.id FROM video_session s
     WHERE s.organization_id = ${organizationId} AND s.id = ANY (${listIds(records.video_session)}::bigint[])
       AND NOT EXISTS (SELECT FROM session_participant p WHERE p.organization_id = ${organizationId} AND p.video_session_id = s.id
                          AND p.patient_id <> ALL (${[...charts]}::int[]))
       AND NOT EXISTS (SELECT FROM telehealth_visit v WHERE v.organization_id = ${organizationId} AND v.video_session_id = s.id
                          AND v.patient_id <> ALL (${[...charts]}::int[]))`;
  const where = { organizationId, videoSessionId: { in: own.map(({ id }) => id) } };
  const select = { attachmentId: true, thumbnailAttachmentId: true };
  const media = [
    ...(await tx.prisma.sessionImage.findMany({ where, select })),
    ...(await tx.prisma.sessionVideo.findMany({ where, select })),
  ];
  await tx.prisma.stillRequest.deleteMany({ where });
  await tx.prisma.sessionChatMessage.deleteMany({ where });
  await tx.prisma.sessionImage.deleteMany({ where });
  await tx.prisma.sessionVideo.deleteMany({ where });
  await tx.prisma.sessionParticipant.deleteMany({ where: { ...where, userId: null, patientId: null } });
  return {
    rooms: where,
    files: media.flatMap(({ attachmentId, thumbnailAttachmentId }) => [attachmentId, thumbnailAttachmentId ?? []].flat()),
  };
}

/** Deletes what repeats the records for a while: stored responses, signals, and what the simulated carrier and mailer took. */
async function deleteCopies(tx: PracticeTx, charts: readonly number[], records: PatientRecords): Promise<void> {
  const { organizationId } = tx;
  const texts = listIds(records.sms_message).map((id) => textReference({ organizationId, id }));
  const mails = listIds(records.mail_message).map((id) => mailReference({ organizationId, id }));
  const addresses = listIds(records.session_participant).map((id) => `participant:${id}`);
  await tx.prisma.$executeRaw`DELETE FROM carrier_text WHERE reference = ANY (${texts}::text[])`;
  await tx.prisma.$executeRaw`DELETE FROM carrier_attempt WHERE reference = ANY (${texts}::text[])`;
  await tx.prisma.$executeRaw`DELETE FROM local_mail WHERE reference = ANY (${mails}::text[])`;
  await tx.prisma
    .$executeRaw`DELETE FROM session_signal WHERE organization_id = ${organizationId} AND address = ANY (${addresses}::text[])`;
  await tx.prisma.$executeRaw`
    DELETE FROM idempotency_record r
     WHERE r.organization_id = ${organizationId} AND EXISTS (
       SELECT FROM jsonb_array_elements(r.audits) a, unnest(${[...charts]}::int[]) chart
        WHERE a->'patientIds' @> to_jsonb(chart) OR (a->>'resource' = 'patient' AND a->'ids' @> to_jsonb(chart)))`;
}

/** The tables, each before those that it refers to. */
async function deletionOrder(db: Db): Promise<string[]> {
  const tables = PATIENT_TABLES.map(({ table }) => table);
  const references = await db.$queryRaw<{ from: string; to: string }[]>`
    SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
     WHERE contype = 'f' AND conrelid <> confrelid
       AND conrelid::regclass::text = ANY (${tables}::text[]) AND confrelid::regclass::text = ANY (${tables}::text[])`;
  const order: string[] = [];
  for (let left = tables; left.length > 0; left = left.filter((table) => !order.includes(table))) {
    const next = left.find((table) => !references.some(({ from, to }) => to === table && from !== table && left.includes(from)));
    if (next === undefined) throw new Error(`tables refer to each other in a circle: ${left.join(', ')}`);
    order.push(next);
  }
  return order;
}
