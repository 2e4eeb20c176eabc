import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import type { Keyring } from '../../../database/keyring.ts';
import { measure, through } from '../../../gateways/streams.ts';
import type { Entry } from '../chain-links.ts';
import { type ChainPlace, type Gap, type Link, passOver, type Step, slippedIn, stepOver } from '../chain-walk.ts';
import {
  type ArchivePlace,
  digestOf,
  entryOf,
  inBase64,
  isSigned,
  linkOf,
  MANIFEST,
  type PartCounts,
  readLine,
  readManifest,
  type SegmentLine,
  type SegmentManifest,
} from './segment-format.ts';

/** No line of a segment is longer: an entry names some thousands of records at most. */
const LONGEST_LINE = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** A segment as a checkpoint names it. */
export interface NamedSegment {
  segment: string;
  organizationId: number;
  /** SHA-256 of its manifest. */
  manifest: Buffer;
}

/** A segment cannot be used. The message says why, and names no record of a patient. */
export class SegmentError extends Error {}

/** @throws SegmentError where it is missing, or is not the one that is named */
export async function openSegment(
  place: ArchivePlace,
  keyring: Keyring,
  { segment, organizationId, manifest }: NamedSegment,
): Promise<SegmentManifest> {
  const stored = await place.read(segment, MANIFEST);
  if (stored === null) throw new SegmentError(`segment ${segment} is missing: it has no ${MANIFEST}`);
  const content = readManifest(keyring, await text(stored));
  if (content === null) throw new SegmentError(`the manifest of segment ${segment} was altered, or was signed with other master keys`);
  if (content.segment !== segment || content.organization !== organizationId || !digestOf(content).equals(manifest))
    throw new SegmentError(`segment ${segment} is not the one that its checkpoint names: another was put in its place`);
  return content;
}

/**
 * Walks over the links of a segment as over those of a chain, up to the first gap, which names an entry. What is wrong with the files
 * beside that is thrown at the end of the part.
 * @param at the place before it, which moves along
 * @throws SegmentError naming the part that is missing, altered, cut off or another one
 */
export async function* walkSegment(
  place: ArchivePlace,
  keyring: Keyring,
  manifest: SegmentManifest,
  at: ChainPlace,
): AsyncGenerator<Step | Gap> {
  for (const [index, part] of manifest.parts.entries()) {
    const named = `${part.name} of segment ${manifest.segment}`;
    const stored = await place.read(manifest.segment, part.name);
    if (stored === null) throw new SegmentError(`${named} is missing`);
    const measured = measure(stored);
    try {
      for await (const step of stepsOf(
        linesOf(through(measured.bytes, createGunzip())),
        { keyring, manifest, number: index + 1, named },
        at,
      )) {
        yield step;
        if (!('link' in step)) return;
      }
    } catch (error) {
      if (isOfZlib(error)) throw new SegmentError(`${named} was altered or cut off`);
      throw error;
    } finally {
      stored.destroy();
    }
    const found = measured.found();
    if (found.bytes !== part.bytes || found.sha256 !== part.sha256) throw new SegmentError(`${named} is not as its manifest names it`);
  }
  const { position, hash } = manifest.head;
  if (at.position !== BigInt(position) || inBase64(at.hash) !== hash)
    throw new SegmentError(`segment ${manifest.segment} ends before its last link`);
}

const isOfZlib = (error: unknown): boolean => error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

interface Part {
  keyring: Keyring;
  manifest: SegmentManifest;
  number: number;
  /** Its name in sentences. */
  named: string;
}

/** The links of one part, each with the entries that follow it there. */
async function* stepsOf(lines: AsyncIterable<Buffer>, part: Part, at: ChainPlace): AsyncGenerator<Step | Gap> {
  const { keyring, manifest, named } = part;
  const seen = { links: 0, entries: 0 };
  const sum = createHash('sha256');
  let link: Link | null = null;
  let entries: Entry[] = [];
  let ended = false;
  let number = 0;
  for await (const bytes of lines) {
    number += 1;
    const line = readLine(bytes.toString());
    if (line === null || ended || (number === 1) !== (line.type === 'segment'))
      throw new SegmentError(`line ${number} of ${named} is none that was written there`);
    if (line.type === 'segment') requireHead(line, part, at);
    if (line.type === 'entry') entries.push(entryOf(line));
    if ((line.type === 'link' || line.type === 'end') && link) {
      const step = stepOf(keyring, at, link, entries);
      yield step;
      if (!('link' in step)) return;
      passOver(at, link);
      seen.links += 1;
      seen.entries += entries.length;
    }
    if (line.type === 'link') [link, entries] = [linkOf(line), []];
    if (line.type === 'end') {
      requireEnd(line, part, { segment: manifest.segment, part: part.number, ...seen, head: shown(at), sha256: sum.digest('base64url') });
      ended = true;
    }
    if (!ended) sum.update(bytes).update('\n');
  }
  if (!ended) throw new SegmentError(`${named} was cut off`);
}

/** A link of a segment, and the entries after it, of which none may be left over. */
function stepOf(keyring: Keyring, at: ChainPlace, link: Link, entries: readonly Entry[]): Step | Gap {
  const step = stepOver(keyring, at, link, entries);
  const more = 'link' in step ? entries[step.entries.length] : undefined;
  return more ? slippedIn(link.position, more) : step;
}

function requireHead(line: Extract<SegmentLine, { type: 'segment' }>, { manifest, number, named }: Part, at: ChainPlace): void {
  const isThis = line.segment === manifest.segment && line.organization === manifest.organization && line.part === number;
  if (!isThis || line.after.position !== Number(at.position) || line.after.hash !== inBase64(at.hash))
    throw new SegmentError(`${named} is another part, or of another segment`);
}

function requireEnd(line: Extract<SegmentLine, { type: 'end' }>, { keyring, named }: Part, counted: PartCounts): void {
  const { type: _, seal: __, ...written } = line;
  if (!isSigned(keyring, line) || JSON.stringify(written) !== JSON.stringify(counted))
    throw new SegmentError(`the last line of ${named} was altered, or lines before it were left out`);
}

const shown = ({ position, hash }: ChainPlace) => ({ position: Number(position), hash: inBase64(hash) });

/** The lines of a text, without their breaks. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield rest.length === 0 ? chunk.subarray(start, end) : Buffer.concat([...rest, chunk.subarray(start, end)]);
      [rest, length, start] = [[], 0, end + 1];
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > LONGEST_LINE) throw new SegmentError('a line of a segment is longer than any that was written');
  }
  if (length > 0) yield Buffer.concat(rest);
}
