import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Keyring } from '../../../database/keyring.ts';
import type { Entry } from '../chain-links.ts';
import type { Link, Step } from '../chain-walk.ts';
import { readSigned, type Signed, signContent } from '../signed-content.ts';

/** A folder or a bucket with segments. Each has a name, and under it a manifest and parts. */
export interface ArchivePlace {
  /** Names of the segments, whole or not. */
  list(): Promise<string[]>;
  /** Stores a file of a segment completely or not at all. */
  write(segment: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** @returns null where there is no such file */
  read(segment: string, name: string): Promise<Readable | null>;
  remove(segment: string): Promise<void>;
}

/** The file that makes a segment whole: it is written last. */
export const MANIFEST = 'archive.json';
/** The form of segments that this program writes and reads. */
const VERSION = 1;
const PART_TYP = 'audit-part';
const MANIFEST_TYP = 'audit-segment';

export const partName = (number: number): string => `part-${String(number).padStart(5, '0')}.ndjson.gz`;

const hash = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const place = z.object({ position: z.int(), hash });
const seal = z.object({ payload: z.string(), protected: z.string(), signature: z.string() });

const manifest = z.object({
  format: z.literal('triptych-audit-segment'),
  version: z.literal(VERSION),
  segment: z.string(),
  organization: z.int(),
  /** The link before the first, and the last link. */
  after: place,
  head: place,
  links: z.int(),
  entries: z.int(),
  first_at: z.string(),
  last_at: z.string(),
  /** Ids of the master keys that sealed the links. */
  keys: z.array(z.string()),
  parts: z.array(z.object({ name: z.string().regex(/^part-\d{5,}\.ndjson\.gz$/), entries: z.int(), bytes: z.int(), sha256: hash })),
});
const sealedManifest = manifest.extend({ seal });

/** The description of a whole segment. */
export type SegmentManifest = z.output<typeof manifest>;

const head = z.object({
  type: z.literal('segment'),
  format: z.literal('triptych-audit-segment'),
  version: z.literal(VERSION),
  segment: z.string(),
  organization: z.int(),
  part: z.int(),
  after: place,
  /** The last position and the keys of the whole segment. */
  last: z.int(),
  keys: z.array(z.string()),
});
const link = z.object({
  type: z.literal('link'),
  position: z.int(),
  entry: z.int(),
  transaction: z.int(),
  hash,
  marks: z.string().nullable(),
  key: z.string(),
  form: z.int(),
});
const text = z.string().nullable();
const entry = z.object({
  type: z.literal('entry'),
  organizationId: z.int(),
  id: z.string(),
  transactionId: z.string(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  resource: z.string(),
  resourceIds: z.string(),
  patientIds: text,
  operation: z.string(),
  requestId: text,
  address: text,
  detail: text,
});
const counts = z.object({
  segment: z.string(),
  part: z.int(),
  links: z.int(),
  entries: z.int(),
  head: place,
  /** Of the lines above. */
  sha256: hash,
});
const end = counts.extend({ type: z.literal('end'), seal });

export type PartHead = z.output<typeof head>;
export type PartCounts = z.output<typeof counts>;
const line = z.discriminatedUnion('type', [head, link, entry, end]);
export type SegmentLine = z.output<typeof line>;

/** @returns null for what is no line of a segment */
export function readLine(written: string): SegmentLine | null {
  try {
    return line.safeParse(JSON.parse(written)).data ?? null;
  } catch {
    return null;
  }
}

export const writeHead = (content: Omit<PartHead, 'type' | 'format' | 'version'>): string =>
  lineOf({ type: 'segment', format: 'triptych-audit-segment', version: VERSION, ...content });

/** A link with its entries, as they were hashed. */
export function writeStep({ link: { position, auditEntryId, transactionId, hash: sealed, marks, keyId, form }, entries }: Step): string {
  const written = lineOf({
    type: 'link',
    ...{ position: Number(position), entry: Number(auditEntryId), transaction: Number(transactionId) },
    ...{ hash: inBase64(sealed), marks: marks && Buffer.from(marks).toString('hex'), key: keyId, form },
  });
  return written + entries.map((one) => lineOf({ type: 'entry', ...one })).join('');
}

export const writeEnd = (keyring: Keyring, content: PartCounts): string =>
  lineOf({ type: 'end', ...content, seal: signContent(keyring, PART_TYP, content) });

export function linkOf({ position, entry: id, transaction, hash: sealed, marks, key, form }: z.output<typeof link>): Link {
  const at = { position: BigInt(position), auditEntryId: BigInt(id), transactionId: BigInt(transaction) };
  return { ...at, keyId: key, form, hash: Buffer.from(sealed, 'base64url'), marks: marks === null ? null : Buffer.from(marks, 'hex') };
}

export const entryOf = ({ type: _, ...columns }: z.output<typeof entry>): Entry => columns;

/** Whether the last line of a part is signed with our keys, and says the same as its signature. */
export function isSigned(keyring: Keyring, { type: _, seal: signed, ...content }: z.output<typeof end>): boolean {
  return holds(keyring, PART_TYP, signed, counts.parse(content), counts);
}

export function writeManifest(
  keyring: Keyring,
  made: Omit<SegmentManifest, 'format' | 'version'>,
): { content: SegmentManifest; text: string } {
  const content = manifest.parse({ format: 'triptych-audit-segment', version: VERSION, ...made });
  return { content, text: `${JSON.stringify({ ...content, seal: signContent(keyring, MANIFEST_TYP, content) }, null, 2)}\n` };
}

/** The SHA-256 of a manifest without its signature, by which a checkpoint names it. */
export const digestOf = (content: SegmentManifest): Buffer => createHash('sha256').update(JSON.stringify(content)).digest();

/** @returns null for a text that is no manifest, or that was altered since it was signed with our keys */
export function readManifest(keyring: Keyring, written: string): SegmentManifest | null {
  try {
    const { seal: signed, ...content } = sealedManifest.parse(JSON.parse(written));
    const ordered = manifest.parse(content);
    return holds(keyring, MANIFEST_TYP, signed, ordered, manifest) ? ordered : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

/** Whether a signature is ours, and over the same content. The shape brings both into one order. */
function holds(keyring: Keyring, typ: string, signed: Signed, content: object, shape: z.ZodType): boolean {
  const read = readSigned(keyring, JSON.stringify(signed));
  if (read?.isOurs !== true || read.typ !== typ) return false;
  const parsed = shape.safeParse(read.content);
  return parsed.success && JSON.stringify(parsed.data) === JSON.stringify(content);
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
export const inBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
