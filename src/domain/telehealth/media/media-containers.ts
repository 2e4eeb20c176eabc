/** The two formats of recordings, by the first bytes of a file. */
export type RecordingFormat = 'video/webm' | 'video/mp4';

/** Bytes at the start of a file that tell its format. */
export const HEAD_BYTES = 64;

/** Major brands of MP4 videos: not those of pictures and sound alone, which have the same head. */
const MP4_BRAND = /^(iso.|mp4.|avc1|M4V |dash|mmp4|3gp.)$/;

/** @param head the first HEAD_BYTES of a file, or all of it. @returns null for any other format */
export function detectFormat(head: Buffer): RecordingFormat | null {
  const text = head.toString('latin1');
  if (text.startsWith('\x1a\x45\xdf\xa3') && text.includes('webm')) return 'video/webm';
  return text.slice(4, 8) === 'ftyp' && MP4_BRAND.test(text.slice(8, 12)) ? 'video/mp4' : null;
}

/** Whether nothing follows the head of a file, which only tells its format: there is no picture in it, also none that was cut. */
export function isHeadOnly(content: Buffer, format: RecordingFormat): boolean {
  if (format === 'video/mp4') return content.length <= content.readUInt32BE(0);
  const id = readVint(content, 0, true);
  const size = id && readVint(content, id.length, false);
  return !size || content.length <= id.length + size.length + size.value;
}

/** Whether a recording ends inside of one of its parts, or lacks its index: it did not arrive whole. */
export const isCut = (content: Buffer, format: RecordingFormat): boolean =>
  format === 'video/webm' ? isCutWebm(content) : isCutMp4(content);

/** Elements of WebM that consist of elements; a browser writes them while it records, without a size. */
const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;

function isCutWebm(content: Buffer): boolean {
  let hasCluster = false;
  for (let at = 0; at < content.length; ) {
    const id = readVint(content, at, true);
    const size = id && readVint(content, at + id.length, false);
    if (!size) return true;
    const start = at + id.length + size.length;
    const isContainer = id.value === SEGMENT || id.value === CLUSTER;
    hasCluster ||= id.value === CLUSTER;
    if (size.isUnknown && !isContainer) return true;
    if (!size.isUnknown && start + size.value > content.length) return true;
    at = isContainer ? start : start + size.value;
  }
  return !hasCluster;
}

/** A number of variable length: the leading zero bits of its first byte are the number of further bytes. */
function readVint(content: Buffer, at: number, keepsMarker: boolean): { value: number; length: number; isUnknown: boolean } | null {
  const first = content[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || length > (keepsMarker ? 4 : 8) || at + length > content.length) return null;
  let value = keepsMarker ? first : first & (0xff >> length);
  let isUnknown = !keepsMarker && value === 0xff >> length;
  for (let next = 1; next < length; next += 1) {
    const byte = content[at + next] ?? 0;
    isUnknown &&= byte === 0xff;
    value = value * 256 + byte;
  }
  return { value, length, isUnknown };
}

function isCutMp4(content: Buffer): boolean {
  const boxes = new Set<string>();
  for (let at = 0; at < content.length; ) {
    if (at + 8 > content.length) return true;
    const short = content.readUInt32BE(at);
    if (short === 1 && at + 16 > content.length) return true;
    // 0: up to the end of the file. 1: the size follows in 64 bits.
    const size = short === 0 ? content.length - at : short === 1 ? Number(content.readBigUInt64BE(at + 8)) : short;
    if (size < 8 || at + size > content.length) return true;
    boxes.add(content.toString('latin1', at + 4, at + 8));
    at += size;
  }
  return !boxes.has('moov');
}
