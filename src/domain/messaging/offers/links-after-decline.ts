import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import { statement } from '../../../database/statements/statement.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { createSecretLink } from '../../identity/secret-links.ts';
import type { NewEvent } from '../../journal.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';
import type { LinkOptions } from '../check-ins/check-ins.ts';
import { findTextFacts } from '../queue/queued-texts.ts';
import { longMoment } from '../templates/appointment-times.ts';
import type { WrittenFor } from '../templates/placeholder-values.ts';
import { wayTo } from '../visit-messages/telling.ts';
import { BOOKING_LINK_DAYS } from './booking-invitations.ts';
import { type MadeLink, renewBookingLink, sendBookingLink } from './booking-link-messages.ts';

const DAY_MS = 86_400_000;

/** A visit to come that its patient declined, where the practice sends them a link, and has not for this visit. Values: organization, appointment. */
const DECLINED_WITHOUT_LINK = statement<{ patientId: number; typeId: number | null }>(
  'declined_visit_without_link',
  `SELECT a.patient_id AS "patientId", a.type_id AS "typeId" FROM appointment a JOIN organization o ON o.id = $1 AND o.decline_sends_link
    WHERE a.organization_id = $1 AND a.id = $2 AND a.patient_id IS NOT NULL AND a.confirmed_by = 'patient' AND a.starts_at > now()
      AND NOT EXISTS (SELECT FROM booking_link l WHERE l.organization_id = $1 AND l.appointment_id = $2)`,
);

/** A patient who declines a visit gets a link to free times where the practice wants it. A job sends it, since links are made with secrets. */
export async function planLinkAfterDecline(tx: Tx, { id: appointmentId }: NewEvent): Promise<void> {
  const { organizationId } = tx;
  const [visit] = await tx.rows(DECLINED_WITHOUT_LINK, [appointmentId]);
  if (!visit) return;
  const { patientId, typeId } = visit;
  const expiresAt = new Date(Date.now() + BOOKING_LINK_DAYS.usual * DAY_MS);
  const { hash: linkHash } = createSecretLink(organizationId);
  const link = { patientId, typeIds: typeId === null ? [] : [typeId], appointmentId, expiresAt, linkHash, dueAt: new Date() };
  const { id } = await tx.prisma.bookingLink.create({ data: { organizationId, ...link }, select: { id: true } });
  recordChange(tx, 'create', { name: 'booking_link.created', id }, [patientId]);
}

/** Links that are to be sent, of all practices. */
export const findDueLinks = (db: Db, now: Date, most: number): Promise<{ organizationId: number; id: number }[]> => db.$queryRaw`
  SELECT l.organization_id AS "organizationId", l.id::float8 AS id
    FROM booking_link l JOIN organization o ON o.id = l.organization_id AND o.active
   WHERE l.due_at <= ${now} ORDER BY l.due_at LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;

/** Sends a link, whose secret is made now, by the way that reaches the patient. */
export async function sendDueLink(tx: Tx, id: number, links: LinkOptions): Promise<void> {
  await tx.prisma.$queryRaw`SELECT FROM booking_link WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await tx.prisma.bookingLink.findUniqueOrThrow({ where: tx.key(id) });
  if (before.dueAt === null) return;
  await sendToPatient(tx, await renewBookingLink(tx, id, links), links);
}

/** Sends a link by the way that reaches its patient. @param asked the way that they chose */
export async function sendToPatient(tx: Tx, made: MadeLink, links: LinkOptions, asked?: 'text' | 'email'): Promise<void> {
  const { patientId, expiresAt } = made.link;
  const [facts, person] = [await findTextFacts(tx, { patientId }), await findPatientReach(tx, patientId)];
  const way = person && wayTo(facts, person, asked);
  if (!person || !way || 'reason' in way) return;
  const values = ({ tag }: WrittenFor) => ({ expires: longMoment(expiresAt, person.zone, tag) });
  await sendBookingLink(tx, made, { category: 'booking-link', ...way, facts, person, values, automatic: true }, links);
}
