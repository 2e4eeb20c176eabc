import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { measure, pipeThrough, splitLines } from '../../../gateways/files/streams.ts';
import { type Entry, toInstant } from '../chain/chain-links.ts';
import { type ChainPlace, type Gap, type Link, passOver, type Step, slippedIn, stepOver } from '../chain/chain-walk.ts';
import { readSigned, signContent } from '../chain/signed-content.ts';

/** A folder or a bucket with the archive: a folder for each practice, and in it a file for each month. */
export interface ArchivePlace {
  /** Stores a file completely or not at all. */
  write(folder: string, name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** @returns null where there is no such file */
  read(folder: string, name: string): Promise<Readable | null>;
  removeFile(folder: string, name: string): Promise<void>;
}

/** A file of the archive cannot be used. The message says why, and names no record of a patient. */
export class ArchiveError extends Error {}

const TYP = 'audit-archive';
/** No line of a file is longer: an entry names some thousands of records at most. */
const LONGEST_LINE = 16 * 1024 * 1024;

const hash = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const place = z.object({ position: z.int(), hash });
const head = z.object({
  type: z.literal('archive'),
  format: z.literal('triptych-audit-archive-1'),
  organization: z.int(),
  /** The link behind which the file begins. */
  after: place,
});
const at = { position: z.int(), entry: z.int(), transaction: z.int() };
const link = z.object({ type: z.literal('link'), ...at, hash, marks: z.string(), key: z.string() });
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
const end = z.object({ type: z.literal('end'), payload: z.string(), protected: z.string(), signature: z.string() });
const line = z.discriminatedUnion('type', [head, link, entry, end]);

/** The content of the signature at the end of a file. */
const summary = z.object({
  organization: z.int(),
  after: place,
  /** The last link. */
  head: place,
  entries: z.int(),
  /** Of the lines above. */
  sha256: hash,
});

/** A file that was written: its digest, and the instants of its oldest and its newest entry. */
export interface WrittenFile {
  sha256: Buffer;
  firstAt: Date;
  lastAt: Date;
}

const inBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/**
 * Writes links and their entries as one compressed file, without holding more than a link in memory. The last line is signed.
 * @param file its folder and name
 * @param steps behind `after`, of which there is one at least
 */
export async function writeArchiveFile(
  target: ArchivePlace,
  keyring: Keyring,
  { file, organizationId, after }: { file: string; organizationId: number; after: Readonly<ChainPlace> },
  steps: AsyncIterable<Step>,
): Promise<WrittenFile> {
  const instants: string[] = [];
  async function* lines(): AsyncGenerator<Buffer> {
    const counter = countLines(organizationId, after);
    const start = { type: 'archive', format: 'triptych-audit-archive-1', organization: organizationId, after: toPosition(after) };
    yield counter.add(Buffer.from(`${JSON.stringify(start)}\n`));
    for await (const step of steps) {
      const all = [...instants, ...step.entries.map(({ at }) => at)].sort();
      instants.splice(0, 2, all.at(0) ?? '', all.at(-1) ?? '');
      counter.pass(step);
      yield counter.add(Buffer.from(writeArchivedStep(step)));
    }
    yield Buffer.from(`${JSON.stringify({ type: 'end', ...signContent(keyring, TYP, counter.summary()) })}\n`);
  }
  const compressed = measure(pipeThrough(lines(), createGzip({ level: 6 })));
  const [folder, name] = splitPath(file);
  await target.write(folder, name, compressed.bytes);
  const [firstAt = '', lastAt = ''] = instants;
  return {
    sha256: Buffer.from(compressed.found().sha256, 'base64url'),
    firstAt: toInstant({ at: firstAt }),
    lastAt: toInstant({ at: lastAt }),
  };
}

function writeArchivedStep({ link: { position, auditEntryId, transactionId, hash: sealed, marks, keyId }, entries }: Step): string {
  const at = { position: Number(position), entry: Number(auditEntryId), transaction: Number(transactionId) };
  const written = { type: 'link', ...at, hash: inBase64(sealed), marks: Buffer.from(marks).toString('hex'), key: keyId };
  return [written, ...entries.map((one) => ({ type: 'entry', ...one }))].map((value) => `${JSON.stringify(value)}\n`).join('');
}

/**
 * Walks over the links of a file as over those of a chain, up to the first gap. Where the master key of a link is gone, the digest of the
 * file proves it.
 * @param named the file, and the SHA-256 that its checkpoint has
 * @param at the place before it, which moves along
 * @throws ArchiveError at the end where the file is another one; earlier where it is missing or cannot be read
 */
export async function* readArchiveFile(
  source: ArchivePlace,
  keyring: Keyring,
  named: { file: string; sha256: Buffer; organizationId: number },
  at: ChainPlace,
): AsyncGenerator<Step | Gap> {
  const stored = await source.read(...splitPath(named.file));
  if (stored === null) throw new ArchiveError(`file ${named.file} is missing`);
  const measured = measure(stored);
  const altered = () => new ArchiveError(`file ${named.file} was altered or cut off`);
  try {
    const counter = countLines(named.organizationId, at);
    for await (const step of readSteps(splitLines(pipeThrough(measured.bytes, createGunzip()), LONGEST_LINE), { keyring, counter, at })) {
      if (step === 'unreadable') throw altered();
      yield placeInFile(named.file, step);
      if (!('link' in step)) return;
    }
    if (measured.found().sha256 !== inBase64(named.sha256)) throw altered();
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw altered();
    throw error;
  } finally {
    stored.destroy();
  }
}

function placeInFile(file: string, step: Step | Gap): Step | Gap {
  if (!('link' in step)) return { ...step, what: `${step.what}, in file ${file}` };
  if (step.broken === null) return step;
  return { ...step, broken: step.broken.keyIsMissing ? null : { ...step.broken, what: `${step.broken.what}, in file ${file}` } };
}

interface Reading {
  keyring: Keyring;
  counter: ReturnType<typeof countLines>;
  at: ChainPlace;
}

/** The links of a file, each with the entries that follow it there. */
async function* readSteps(lines: AsyncIterable<Buffer>, { keyring, counter, at }: Reading): AsyncGenerator<Step | Gap | 'unreadable'> {
  let open: Link | null = null;
  let entries: Entry[] = [];
  let ended = false;
  for await (const bytes of lines) {
    const read = readLine(bytes);
    if (read === null || ended) return yield 'unreadable';
    if ((read.type === 'link' || read.type === 'end') && open) {
      const step = checkStep(keyring, at, open, entries);
      yield step;
      if (!('link' in step)) return;
      counter.pass(step);
      passOver(at, open);
    }
    if (read.type === 'link') [open, entries] = [toLink(read), []];
    if (read.type === 'entry') entries.push(toEntry(read));
    if (read.type !== 'end') counter.add(bytes);
    else if (!isSigned(keyring, read, counter.summary())) return yield 'unreadable';
    ended = read.type === 'end';
  }
  if (!ended) yield 'unreadable';
}

/** A link of a file, and the entries after it, of which none may be left over. */
function checkStep(keyring: Keyring, at: ChainPlace, one: Link, entries: readonly Entry[]): Step | Gap {
  const step = stepOver(keyring, at, one, entries);
  const more = 'link' in step ? entries[step.entries.length] : undefined;
  return more ? slippedIn(one.position, more) : step;
}

function readLine(bytes: Buffer): z.output<typeof line> | null {
  try {
    return line.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}

function toLink({ position, entry: id, transaction, hash: sealed, marks, key }: z.output<typeof link>): Link {
  const at = { position: BigInt(position), auditEntryId: BigInt(id), transactionId: BigInt(transaction) };
  return { ...at, keyId: key, hash: Buffer.from(sealed, 'base64url'), marks: Buffer.from(marks, 'hex') };
}

const toEntry = ({ type: _, ...columns }: z.output<typeof entry>): Entry => columns;

/** Counts what is written to a file or read from it, for its last line. */
function countLines(organization: number, after: Readonly<ChainPlace>) {
  const sum = createHash('sha256');
  const start = toPosition(after);
  let [last, entries] = [start, 0];
  return {
    /** @param bytes lines, with their breaks */
    add(bytes: Buffer): Buffer {
      sum.update(bytes);
      return bytes;
    },
    pass(step: Step): void {
      last = toPosition(step.link);
      entries += step.entries.length;
    },
    summary: (): z.output<typeof summary> => ({ organization, after: start, head: last, entries, sha256: sum.copy().digest('base64url') }),
  };
}

function isSigned(keyring: Keyring, { type: _, ...signed }: z.output<typeof end>, counted: z.output<typeof summary>): boolean {
  const read = readSigned(keyring, JSON.stringify(signed));
  const content = summary.safeParse(read?.content);
  return read?.typ === TYP && JSON.stringify(content.data) === JSON.stringify(counted);
}

const toPosition = ({ position, hash: sealed }: Pick<Link, 'position' | 'hash'>) => ({
  position: Number(position),
  hash: inBase64(sealed),
});

function splitPath(file: string): [folder: string, name: string] {
  const [folder = '', name = ''] = file.split('/');
  return [folder, name];
}

export async function isThere(source: ArchivePlace, file: string): Promise<boolean> {
  const found = await source.read(...splitPath(file));
  found?.destroy();
  return found !== null;
}

export const removeArchiveFile = (source: ArchivePlace, file: string): Promise<void> => source.removeFile(...splitPath(file));
