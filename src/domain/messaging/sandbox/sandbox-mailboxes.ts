import type { Keyring } from '../../../database/encryption/keyring.ts';
import { findDeliveredMails } from '../../../gateways/mail/local-mailer.ts';
import type { MailMessage } from '../../../generated/prisma/client.ts';
import { recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Tx } from '../../tx.ts';
import { mailReference } from '../sending/outgoing-mails.ts';
import { listPatientIds } from './sandbox-phones.ts';

export interface SandboxMailbox {
  address: string;
  /** Name of the patient whom the latest mail was for; null for none. */
  name: string | null;
  lastAt: Date;
}

/** Lists the mailboxes with the latest mails, latest first, without those of restricted and blocked patients. Audited. */
export async function listSandboxMailboxes(tx: Tx, most: number): Promise<SandboxMailbox[]> {
  const { organizationId } = tx;
  const mailboxes = await tx.prisma.$queryRaw<(SandboxMailbox & { patientId: number | null })[]>`
    WITH mailboxes AS (
      SELECT to_address AS address, max(queued_at) AS last_at, (array_agg(patient_id ORDER BY queued_at DESC, id DESC))[1] AS patient_id
        FROM (SELECT * FROM mail_message WHERE organization_id = ${organizationId} ORDER BY queued_at DESC, id DESC LIMIT 1000) recent
       WHERE to_address <> '' GROUP BY to_address
    )
    SELECT m.address, m.last_at AS "lastAt", m.patient_id AS "patientId", nullif(concat_ws(' ', p.first_name, p.last_name), '') AS name
      FROM mailboxes m LEFT JOIN patient p ON p.organization_id = ${organizationId} AND p.id = m.patient_id
     WHERE NOT EXISTS (
       SELECT FROM patient r WHERE r.organization_id = ${organizationId} AND r.restricted AND (r.id = m.patient_id OR r.email = m.address))
     ORDER BY m.last_at DESC, m.address LIMIT ${most}`;
  const patientIds = listPatientIds(mailboxes);
  if (patientIds.length > 0) recordRead(tx, 'patient', patientIds, 'search');
  return mailboxes;
}

export interface SandboxMail extends Pick<MailMessage, 'id' | 'subject' | 'state' | 'reason'> {
  /** With links and one-time codes filled in, as delivered. */
  body: string;
  at: Date;
}

/** The latest mails to an address, newest first. Audited. */
export async function readSandboxMailbox(
  tx: Tx,
  { keyring, address, most }: { keyring: Keyring; address: string; most: number },
): Promise<SandboxMail[]> {
  const mails = await tx.prisma.mailMessage.findMany({
    where: { ...tx.practice, toAddress: address },
    orderBy: [{ queuedAt: 'desc' }, { id: 'desc' }],
    take: most,
  });
  const arrived = await findDeliveredMails(tx.prisma, keyring, mails.map(mailReference));
  recordReadWithPatients(tx, 'mail', { ids: mails.map(({ id }) => id), patientIds: listPatientIds(mails) }, 'search');
  return mails.map(({ id, subject, state, reason, body, queuedAt, sentAt }) => ({
    id,
    subject,
    state,
    reason,
    body: arrived.get(mailReference({ ...tx.practice, id })) ?? body,
    at: sentAt ?? queuedAt,
  }));
}
