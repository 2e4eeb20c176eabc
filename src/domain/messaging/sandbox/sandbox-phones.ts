import type { Keyring } from '../../../database/encryption/keyring.ts';
import { findDeliveredTexts } from '../../../gateways/carrier/local-carrier.ts';
import type { PhoneNumber, SmsMessage } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { fullName } from '../../values/person-names.ts';
import { textReference } from '../sending/outgoing-texts.ts';

export interface SandboxPhone {
  /** E.164. */
  number: string;
  /** Name of the patient of the latest text; null for none. */
  name: string | null;
  lastAt: Date;
  /** Texts that are queued or held until the end of the quiet hours. */
  waiting: number;
}

interface SandboxPhoneRow extends SandboxPhone {
  patientId: number | null;
}

/** Lists the phones with the latest texts, latest first, without those of restricted and blocked patients. Audited. */
export async function listSandboxPhones(tx: Tx, most: number): Promise<SandboxPhone[]> {
  const { organizationId } = tx;
  const phones = await tx.prisma.$queryRaw<SandboxPhoneRow[]>`
    WITH recent AS (
      SELECT CASE direction WHEN 'inbound' THEN from_number ELSE to_number END AS number,
             patient_id, coalesce(sent_at, queued_at) AS at, state
        FROM sms_message WHERE organization_id = ${organizationId}
       ORDER BY queued_at DESC, id DESC LIMIT 1000
    ), phones AS (
      SELECT number, max(at) AS last_at, (array_agg(patient_id ORDER BY at DESC))[1] AS patient_id,
             count(*) FILTER (WHERE state = 'queued')::int AS waiting
        FROM recent WHERE number <> '' GROUP BY number
    )
    SELECT f.number, f.last_at AS "lastAt", f.patient_id AS "patientId", f.waiting, nullif(concat_ws(' ', p.first_name, p.last_name), '') AS name
      FROM phones f LEFT JOIN patient p ON p.organization_id = ${organizationId} AND p.id = f.patient_id
     WHERE NOT EXISTS (
       SELECT FROM patient r WHERE r.organization_id = ${organizationId} AND r.restricted
          AND (r.id = f.patient_id OR r.mobile_phone = f.number OR r.home_phone = f.number))
     ORDER BY f.last_at DESC, f.number LIMIT ${most}`;
  const patientIds = listPatientIds(phones);
  if (patientIds.length > 0) recordRead(tx, 'patient', patientIds, 'search');
  return phones;
}

export interface SandboxText extends Pick<SmsMessage, 'id' | 'direction' | 'state' | 'reason' | 'notBefore' | 'language'> {
  /** With links and one-time codes filled in, as delivered. */
  body: string;
  /** Number of them that came with it. */
  pictures: number;
  /** Time of sending or arrival; of an unsent text, the time it was queued. */
  at: Date;
}

export interface SandboxConversation {
  name: string | null;
  /** Code of the language of the patient's chart; null where none is known. */
  languageCode: string | null;
  /** Oldest first. */
  texts: SandboxText[];
  /** The practice's number that wrote last; null where none did. */
  lastFrom: string | null;
}

/** The latest texts between the practice and a phone. Audited. */
export async function readSandboxConversation(
  tx: Tx,
  { keyring, number, most }: { keyring: Keyring; number: string; most: number },
): Promise<SandboxConversation> {
  const texts = await tx.prisma.smsMessage.findMany({
    where: {
      ...tx.practice,
      OR: [
        { direction: 'outbound', toNumber: number },
        { direction: 'inbound', fromNumber: number },
      ],
    },
    include: {
      patient: { select: { id: true, firstName: true, lastName: true, languageCode: true, restricted: true } },
      pictures: { select: { id: true } },
    },
    orderBy: [{ queuedAt: 'desc' }, { id: 'desc' }],
    take: most,
  });
  const arrived = await findDeliveredTexts(tx.prisma, keyring, texts.map(textReference));
  recordReadWithPatients(tx, 'text', { ids: texts.map(({ id }) => id), patientIds: listPatientIds(texts) }, 'search');
  // The phone of a restricted patient can be opened by its number, and does not say whose it is.
  const patient = texts.find((text) => text.patient?.restricted === false)?.patient;
  return {
    name: patient ? fullName(patient) : null,
    languageCode: patient?.languageCode ?? null,
    lastFrom: texts.find(({ direction }) => direction === 'outbound')?.fromNumber ?? null,
    texts: texts
      .map(({ id, direction, state, reason, notBefore, language, sentAt, queuedAt, pictures, ...text }) => ({
        id,
        direction,
        state,
        reason,
        notBefore,
        language,
        pictures: pictures.length,
        body: arrived.get(textReference({ ...tx.practice, id })) ?? text.body,
        at: sentAt ?? queuedAt,
      }))
      .toSorted((one, other) => one.at.getTime() - other.at.getTime()),
  };
}

export function listPatientIds(seen: { patientId: number | null }[]): number[] {
  return [...new Set(seen.flatMap(({ patientId }) => patientId ?? []))];
}

/** A number of the practice that can be called, with the call group that it rings. */
export type CallableNumber = Pick<PhoneNumber, 'number' | 'kind'> & { chat: { name: string } | null };

/** The practice's numbers, plain ones first. */
export async function listCallableNumbers(tx: Tx): Promise<CallableNumber[]> {
  return tx.prisma.phoneNumber.findMany({
    where: { ...tx.practice, releasedAt: null, carrierId: { not: null } },
    select: { number: true, kind: true, chat: { select: { name: true } } },
    orderBy: [{ kind: 'asc' }, { id: 'asc' }],
  });
}

/**
 * Records that a text held for quiet hours is sent now, because someone is looking at the sandbox phone.
 * @throws Failure not_found; conflict for a text that is not queued
 */
export async function sendTextNow(tx: Tx, id: number): Promise<void> {
  const text = await tx.prisma.smsMessage.findUnique({ where: tx.key(id), select: { state: true } });
  if (!text) throw notFound('sms message');
  if (text.state !== 'queued') throw conflict('not_waiting', 'This text is no longer waiting.');
  recordChange(tx, 'update', { name: 'text.expedited', id });
}
