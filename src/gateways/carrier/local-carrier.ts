import { randomUUID, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import { ENCRYPTED, encryptIn } from '../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { openBodies } from '../files/arrived-bodies.ts';
import {
  type Carrier,
  type CarrierEvent,
  CarrierRefusal,
  type CarrierRequest,
  type OutgoingText,
  readReference,
  statusAddress,
} from './carrier.ts';
import { isInInventory, listInventory, toAvailableNumber } from './local-number-inventory.ts';

/** The picture of every telephone of the local carrier, and its address. */
const LOCAL_PICTURE = 'local:picture';
const PICTURE = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC', 'base64');

export const LOCAL_SIGNATURE = 'x-carrier-signature';
const PURPOSE = 'local-carrier';

/**
 * A simulated carrier, for demos and tests without an account at a real one: its numbers are fictional, and its texts arrive
 * in tables of their own, with their bodies encrypted, where the sandbox displays them. It uses the same database but keeps its data apart from those of the practices, as a real
 * carrier does.
 */
export function createLocalCarrier(db: Db, keyring: Keyring): Carrier {
  return {
    name: 'local',
    sendText: (text) => acceptText(db, keyring, text),
    async searchNumbers({ limit, ...wanted }) {
      const inventory = listInventory(wanted);
      const sold = await db.carrierNumber.findMany({ where: { number: { in: inventory }, returnedAt: null }, select: { number: true } });
      const soldNumbers = new Set(sold.map(({ number }) => number));
      return inventory
        .filter((number) => !soldNumbers.has(number))
        .slice(0, limit)
        .map(toAvailableNumber);
    },
    purchaseNumber: (order) => sellNumber(db, order),
    async releaseNumber(id) {
      await db.carrierNumber.updateMany({ where: { id, returnedAt: null }, data: { returnedAt: new Date() } });
    },
    // Nobody but the sandbox gets its texts.
    findRegistration: async () => 'registered',
    signatureHeader: LOCAL_SIGNATURE,
    readWebhook: async (request) => {
      checkSignature(keyring, request);
      return [parseEvent(request)];
    },
    respond: (instruction) => ({ contentType: 'application/json; charset=utf-8', body: JSON.stringify(instruction) }),
    async fetchRecording() {
      throw new CarrierRefusal('no_recording', 'The local carrier records nothing.');
    },
    async fetchPicture(url) {
      if (url !== LOCAL_PICTURE) throw new CarrierRefusal('no_picture', 'The local carrier has no such picture.');
      return Readable.from([PICTURE]);
    },
    check: async () => {},
  };
}

async function acceptText(db: Db, keyring: Keyring, { reference, from, to, body, statusUrl }: OutgoingText): Promise<{ id: string }> {
  if (!/^\+[1-9]\d{6,14}$/.test(to)) throw new CarrierRefusal('invalid_number', 'A text cannot be sent to this number.');
  const encrypted = encryptIn(keyring, ENCRYPTED.arrivedText, { organizationId: null, row: reference }, body);
  // A concurrent insert of the same reference waits here and then finds the row of the first.
  await db.$executeRaw`
    INSERT INTO carrier_text (id, reference, from_number, to_number, body, status_url)
    VALUES (${`SM-${randomUUID()}`}, ${reference}, ${from}, ${to}, ${encrypted}, ${statusUrl && statusAddress(statusUrl, reference)}) ON CONFLICT (reference) DO NOTHING`;
  return db.carrierText.findUniqueOrThrow({ where: { reference }, select: { id: true } });
}

async function sellNumber(db: Db, { number, reference }: { number: string; reference: string }): Promise<{ id: string }> {
  if (!isInInventory(number)) throw new CarrierRefusal('number_taken', 'The number is not for sale.');
  await db.$executeRaw`
    INSERT INTO carrier_number (id, number, reference) VALUES (${`PN-${randomUUID()}`}, ${number}, ${reference}) ON CONFLICT DO NOTHING`;
  const sold = await db.carrierNumber.findUnique({ where: { reference }, select: { id: true, number: true } });
  if (sold?.number !== number) throw new CarrierRefusal('number_taken', 'Somebody else has the number.');
  return { id: sold.id };
}

const moment = z.iso.datetime().transform((text) => new Date(text));
/** Forms have no null: unknown values are left out. */
const orNull = <T extends z.ZodType>(shape: T) => shape.optional().transform((value) => value ?? null);
/** The carrier's id of a text or call, and the numbers from and to which it went. */
const idAndNumbers = { id: z.string().min(1), from: z.string().min(1), to: z.string().min(1) };

/**
 * A CarrierEvent as form fields, which are all strings: durations are decimal digits. A delivery report has no field for its
 * reference, which is in the query of the address instead (statusAddress).
 */
const event = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('status'),
    id: z.string().min(1),
    state: z.enum(['sent', 'delivered', 'failed']),
    reason: orNull(z.string()),
    at: moment,
  }),
  z.object({
    kind: z.literal('text'),
    ...idAndNumbers,
    body: z.string(),
    at: moment,
    pictures: z
      .string()
      .regex(/^\d{1,2}$/)
      .transform((count) => Array.from({ length: Number(count) }, () => LOCAL_PICTURE))
      .optional(),
  }),
  z.object({ kind: z.literal('call'), ...idAndNumbers, status: z.string().min(1), startedAt: moment, endedAt: orNull(moment) }),
  z.object({
    kind: z.literal('voice_message'),
    ...idAndNumbers,
    transcript: orNull(z.string()),
    durationSeconds: orNull(
      z
        .string()
        .regex(/^\d{1,6}$/)
        .transform(Number),
    ),
    recordingUrl: orNull(z.url()),
    at: moment,
  }),
]);

function parseEvent({ url, form }: Pick<CarrierRequest, 'url' | 'form'>): CarrierEvent {
  const read = event.safeParse(form);
  if (!read.success) throw new CarrierRefusal('malformed', 'The form is not an event of the local carrier.');
  return read.data.kind === 'status' ? { ...read.data, reference: readReference(url) } : read.data;
}

/** Texts to numbers with this ending always fail with `unreachable`. */
const UNREACHABLE = '0000';

/** Delivery reports that were not sent yet, oldest first. Texts are delivered unless the number ends in UNREACHABLE. */
export async function listPendingReports(db: Db, most: number): Promise<Extract<CarrierEvent, { kind: 'status' }>[]> {
  const texts = await db.$queryRaw<{ id: string; reference: string; toNumber: string; receivedAt: Date }[]>`
    SELECT id, reference, to_number AS "toNumber", received_at AS "receivedAt"
      FROM carrier_text WHERE reported_at IS NULL ORDER BY received_at, id LIMIT ${most}`;
  return texts.map(({ id, reference, toNumber, receivedAt: at }) => {
    const result = toNumber.endsWith(UNREACHABLE)
      ? ({ state: 'failed', reason: 'unreachable' } as const)
      : ({ state: 'delivered', reason: null } as const);
    return { kind: 'status', id, reference, ...result, at };
  });
}

export async function markReported(db: Db, ids: readonly string[]): Promise<void> {
  await db.carrierText.updateMany({ where: { id: { in: [...ids] }, reportedAt: null }, data: { reportedAt: new Date() } });
}

/** Signs a form as the local carrier does: `keyId.mac` over the address and the fields sorted by name. */
export function signLocalForm(keyring: Keyring, { url, form }: Pick<CarrierRequest, 'url' | 'form'>): string {
  return `${keyring.currentId}.${keyring.mac(PURPOSE, writeSignedText(url, form)).toString('base64url')}`;
}

const writeSignedText = (url: string, form: Record<string, string>) =>
  JSON.stringify([url, Object.entries(form).sort(([one], [other]) => (one < other ? -1 : 1))]);

function checkSignature(keyring: Keyring, { url, headers, form }: CarrierRequest): void {
  const [keyId = '', written = ''] = String(headers[LOCAL_SIGNATURE] ?? '').split('.');
  const given = Buffer.from(written, 'base64url');
  const right = keyring.ids.includes(keyId) ? keyring.mac(PURPOSE, writeSignedText(url, form), keyId) : null;
  if (!right || given.length !== right.length || !timingSafeEqual(given, right))
    throw new CarrierRefusal('wrong_signature', 'The request is not the carrier’s.');
}

/** Bodies of the delivered texts with these references; of those that arrived within 30 days. */
export async function findDeliveredTexts(db: Db, keyring: Keyring, references: readonly string[]): Promise<Map<string, string>> {
  const found = await db.carrierText.findMany({
    where: { reference: { in: [...references] }, body: { not: null } },
    select: { reference: true, body: true },
  });
  return openBodies(keyring, ENCRYPTED.arrivedText, found);
}
