import { timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { columnsText, type Entry } from './chain-links.ts';

const PURPOSE = 'audit-mark';
const ID_BYTES = 6;
const TAG_BYTES = 6;
const BYTES = ID_BYTES + TAG_BYTES;

/** The mark of one entry in a link: which entry stood there, and a part of its MAC. The seal is the link's hash, which covers it. */
interface Mark {
  id: string;
  tag: Buffer;
}

/** The marks of a link's entries, twelve bytes each: an entry that was altered is named by the one that differs. */
export const markEntries = (keyring: Keyring, entries: readonly Entry[]): Buffer =>
  Buffer.concat(entries.map((entry) => Buffer.concat([idBytes(entry.id), markEntry(keyring, keyring.currentId, entry)])));

/** Marks as a link has them; what is left over of a length that no marks have is one that no entry has. */
export function readMarks(bytes: Uint8Array): Mark[] {
  const buffer = Buffer.from(bytes);
  const marks: Mark[] = [];
  for (let at = 0; at < buffer.length; at += BYTES) {
    const mark = buffer.subarray(at, at + BYTES);
    marks.push({ id: mark.length === BYTES ? String(mark.readUIntBE(0, ID_BYTES)) : '', tag: mark.subarray(ID_BYTES) });
  }
  return marks;
}

/** Whether an entry is as it was marked. @throws KeyringError without the master key */
export function isMarked(keyring: Keyring, keyId: string, entry: Entry, { tag }: Mark): boolean {
  const expected = markEntry(keyring, keyId, entry);
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}

const markEntry = (keyring: Keyring, keyId: string, entry: Entry): Buffer =>
  keyring.mac(PURPOSE, columnsText(entry), keyId).subarray(0, TAG_BYTES);

/** @throws RangeError beyond 2^48, which no sequence reaches in centuries */
function idBytes(id: string): Buffer {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.writeUIntBE(Number(id), 0, ID_BYTES);
  return bytes;
}
