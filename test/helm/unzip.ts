import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

/** The content of one file of a ZIP archive. @throws where the archive does not have it */
export function unzip(archive: Buffer, wanted: string): Buffer {
  let end = archive.length - 22;
  while (archive.readUInt32LE(end) !== END) end -= 1;
  let entry = archive.readUInt32LE(end + 16);
  while (archive.readUInt32LE(entry) === ENTRY) {
    const nameLength = archive.readUInt16LE(entry + 28);
    const name = archive.toString('utf8', entry + 46, entry + 46 + nameLength);
    if (name === wanted) {
      const header = archive.readUInt32LE(entry + 42);
      const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
      const packed = archive.subarray(start, start + archive.readUInt32LE(entry + 20));
      return archive.readUInt16LE(entry + 10) === DEFLATED ? inflateRawSync(packed) : packed;
    }
    entry += 46 + nameLength + archive.readUInt16LE(entry + 30) + archive.readUInt16LE(entry + 32);
  }
  throw new Error(`the archive has no ${wanted}`);
}
