import { createHash } from 'node:crypto';
import { createGzip } from 'node:zlib';
import type { Keyring } from '../../../database/keyring.ts';
import { measure, through } from '../../../gateways/streams.ts';
import type { ChainPlace, Step } from '../chain-walk.ts';
import { passOver } from '../chain-walk.ts';
import {
  type ArchivePlace,
  inBase64,
  MANIFEST,
  partName,
  type SegmentManifest,
  writeEnd,
  writeHead,
  writeManifest,
  writeStep,
} from './segment-format.ts';

/** The length of text from which on a part ends: as much of it as one upload holds in memory, compressed. */
const PART_TEXT = 64 * 1024 * 1024;

/** A segment that is to be written: the links behind one place, up to a position. */
export interface NewSegment {
  name: string;
  organizationId: number;
  after: Readonly<ChainPlace>;
  last: bigint;
  /** Ids of the master keys that sealed its links. */
  keys: string[];
}

interface Writing {
  segment: NewSegment;
  keyring: Keyring;
  steps: AsyncIterator<Step>;
  /** The step that is written next; null at the end. */
  next: Step | null;
  at: ChainPlace;
  links: number;
  entries: number;
  first: string | null;
  newest: string;
}

/**
 * Writes links and their entries as compressed parts of bounded length, without holding more than a link in memory, and then the signed
 * manifest. Written again it has the same names.
 * @param steps of the whole segment, each of which was verified
 */
export async function writeSegment(
  place: ArchivePlace,
  keyring: Keyring,
  segment: NewSegment,
  steps: AsyncIterator<Step>,
  partText = PART_TEXT,
): Promise<SegmentManifest> {
  const first = await steps.next();
  const writing: Writing = {
    ...{ segment, keyring, steps, next: first.done === true ? null : first.value, at: { ...segment.after } },
    ...{ links: 0, entries: 0, first: null, newest: '' },
  };
  const parts: SegmentManifest['parts'] = [];
  while (writing.next) {
    const name = partName(parts.length + 1);
    const before = writing.entries;
    const compressed = measure(through(partOf(writing, parts.length + 1, partText), createGzip({ level: 6 })));
    await place.write(segment.name, name, compressed.bytes);
    parts.push({ name, entries: writing.entries - before, ...compressed.found() });
  }
  const { content, text } = writeManifest(keyring, {
    ...{ segment: segment.name, organization: segment.organizationId, after: shown(segment.after), head: shown(writing.at) },
    ...{ links: writing.links, entries: writing.entries, first_at: writing.first ?? '', last_at: writing.newest },
    ...{ keys: segment.keys, parts },
  });
  await place.write(segment.name, MANIFEST, once(text));
  return content;
}

async function* partOf(writing: Writing, part: number, partText: number): AsyncGenerator<Buffer> {
  const { segment, keyring, at } = writing;
  const { name, organizationId: organization, last, keys } = segment;
  const sum = createHash('sha256');
  let length = 0;
  const [links, entries] = [writing.links, writing.entries];
  const bytesOf = (text: string) => {
    const bytes = Buffer.from(text);
    sum.update(bytes);
    length += bytes.length;
    return bytes;
  };
  yield bytesOf(writeHead({ segment: name, organization, part, after: shown(at), last: Number(last), keys }));
  for (; writing.next && length < partText; await advance(writing)) yield bytesOf(writeStep(writing.next));
  const counted = { links: writing.links - links, entries: writing.entries - entries };
  yield Buffer.from(writeEnd(keyring, { segment: name, part, ...counted, head: shown(at), sha256: sum.digest('base64url') }));
}

async function advance(writing: Writing): Promise<void> {
  const { next, steps } = writing;
  if (!next) return;
  passOver(writing.at, next.link);
  writing.links += 1;
  writing.entries += next.entries.length;
  for (const { at } of next.entries) {
    if (writing.first === null || at < writing.first) writing.first = at;
    if (at > writing.newest) writing.newest = at;
  }
  const read = await steps.next();
  writing.next = read.done === true ? null : read.value;
}

const shown = ({ position, hash }: ChainPlace) => ({ position: Number(position), hash: inBase64(hash) });

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
