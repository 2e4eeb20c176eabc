import { createReadStream, createWriteStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Metadata, Sharp } from 'sharp';
import { Failure, invalid, unavailable } from '../../errors.ts';
import { imageLibrary } from '../../files/image-library.ts';
import { isAnimatedPng, lostColours, PNG_HEAD_BYTES, PNG_START_BYTES } from '../../files/png-chunks.ts';
import { readHead } from '../../files/read-head.ts';
import { createSemaphore } from '../../values/semaphore.ts';

/** A picture that was encoded anew, so that nothing of the uploaded file but what is seen is kept. */
export interface Picture {
  /** Of the encoded file, beside the uploaded one. */
  path: string;
  /** Of its file name, without the dot. */
  extension: string;
  /** Pixels. */
  width: number;
  height: number;
}

const FORMATS = ['jpeg', 'png', 'webp'] as const;
const EXTENSIONS = { jpeg: 'jpg', png: 'png', webp: 'webp' } as const;

/** Pixels: more than the camera of a phone takes. A limit is needed because a small file can claim any size. */
const MAX_PIXELS = 40_000_000;
const MAX_SIDE = 16_000;
const DECODE_SECONDS = 20;
/** The longer side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 320;

/** A picture of 40 million pixels takes some 100 MB, so one at a time is worked on. Those that wait stay in the temporary folder. */
const semaphore = createSemaphore({
  slots: 1,
  longestQueue: 20,
  tooMany: 'Too many pictures are being stored. Try again in a moment.',
});

/**
 * Decodes an uploaded picture and encodes it anew, into a file in the same folder: upright, in its own colours, and without its
 * metadata such as the place and the camera. Of a PNG every pixel stays as it is.
 * @param path of the uploaded file
 * @param field of the form, for errors
 * @param options lossless: a PNG of exactly the pixels that were sent, whatever the format
 * @throws Failure invalid for any other file; unavailable where decoding takes too long, or too many pictures wait
 */
export async function readPicture(path: string, field: string, { lossless = false } = {}): Promise<Picture> {
  const read = await readMetadata(path, field);
  const sent = FORMATS.find((one) => one === read.format);
  if (!sent) throw notAPicture(field);
  const format = lossless ? 'png' : sent;
  const { width = 0, height = 0 } = read;
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE)
    throw invalid(field, `must be a picture of at most ${MAX_PIXELS / 1_000_000} million pixels, and ${MAX_SIDE} on a side`, 'too_big');
  const extension = EXTENSIONS[format];
  const size = await encode({ path, to: `${path}.${extension}` }, (image) => encodeAs(format, keepColours(image, read), read), field);
  if (format === 'png') await restoreColours(path, size.path);
  return { ...size, extension };
}

/** Writes gamma and primaries of an uploaded PNG into the one that was made of it, without which its pixels look lighter or darker. */
async function restoreColours(from: string, to: string): Promise<void> {
  const start = await readHead(to, PNG_HEAD_BYTES);
  const lost = lostColours(await readHead(from, PNG_HEAD_BYTES), start);
  if (lost.length === 0) return;
  const made = `${to}.colours`;
  await writeFile(made, Buffer.concat([start.subarray(0, PNG_START_BYTES), lost]));
  await pipeline(createReadStream(to, { start: PNG_START_BYTES }), createWriteStream(made, { flags: 'a' }));
  await rename(made, to);
}

/** The colour spaces that a picture keeps, with its profile and its depth. Any other, as that of print, becomes sRGB. */
const KEPT_SPACES = ['srgb', 'rgb16', 'b-w', 'grey16'] as const;

function keepColours(image: Sharp, { space: found }: Metadata): Sharp {
  const space = KEPT_SPACES.find((one) => one === found);
  return space === undefined ? image : image.keepIccProfile().toColourspace(space);
}

/** For PNG, `quality` would reduce the colours to a palette. */
function encodeAs(format: (typeof FORMATS)[number], image: Sharp, { chromaSubsampling }: Metadata): Sharp {
  if (format === 'png') return image.png();
  if (format === 'webp') return image.webp({ quality: 90, smartSubsample: true });
  return image.jpeg({ quality: 90, chromaSubsampling: chromaSubsampling === '4:4:4' ? '4:4:4' : '4:2:0' });
}

/** Makes a small JPEG of a picture. @throws Failure as readPicture */
export async function readThumbnail(path: string, field: string): Promise<Picture> {
  const { format } = await readMetadata(path, field);
  if (!FORMATS.some((one) => one === format)) throw notAPicture(field);
  const small = (image: Sharp) =>
    image
      .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 75 });
  return { ...(await encode({ path, to: `${path}.thumbnail` }, small, field)), extension: EXTENSIONS.jpeg };
}

async function readMetadata(path: string, field: string): Promise<Metadata> {
  const sharp = await imageLibrary();
  const found = await sharp(path)
    .metadata()
    .catch((error: unknown) => failToRead(error, field));
  if ((found.pages ?? 1) > 1 || isAnimatedPng(await readHead(path, PNG_HEAD_BYTES)))
    throw invalid(field, 'must be a still picture', 'moving_picture');
  return found;
}

async function encode(
  { path, to }: { path: string; to: string },
  change: (image: Sharp) => Sharp,
  field: string,
): Promise<Omit<Picture, 'extension'>> {
  const sharp = await imageLibrary();
  const image = () => sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient().timeout({ seconds: DECODE_SECONDS });
  const { width, height } = await semaphore.run(() =>
    change(image())
      .toFile(to)
      .catch((error: unknown) => failToRead(error, field)),
  );
  return { path: to, width, height };
}

function failToRead(error: unknown, field: string): never {
  if (error instanceof Error && /timeout/i.test(error.message))
    throw unavailable('The picture takes too long to read. Try again in a moment.', error);
  throw notAPicture(field, error);
}

function notAPicture(field: string, cause?: unknown): Failure {
  const message = 'must be a JPEG, PNG or WebP picture that can be read';
  return new Failure('invalid', 'invalid_input', `${field}: ${message}`, { issues: [{ field, code: 'no_picture', message }], cause });
}
