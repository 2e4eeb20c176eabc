import sharp, { type Sharp } from 'sharp';
import { Failure, invalid, unavailable } from '../errors.ts';

// Nothing but these three is ever decoded, whatever else the library could read.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });

/** A picture as it is kept: drawn anew, so that nothing of the file that was sent lives on in it but what one sees. */
export interface Picture {
  content: Buffer;
  /** Ends the name of its file. */
  extension: string;
  /** Pixels. */
  width: number;
  height: number;
}

const FORMATS = ['jpeg', 'png', 'webp'] as const;
const EXTENSIONS = { jpeg: 'jpg', png: 'png', webp: 'webp' } as const;

/** More than a camera of a telephone takes; a small file may claim to be a picture of any size. */
const MAX_PIXELS = 40_000_000;
const MAX_SIDE = 16_000;
const DECODE_SECONDS = 20;
/** The longer side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 320;

/**
 * Reads a picture that somebody sent, upright and without what its file says beside it: where and with what it was taken.
 * @param path of the file
 * @param field in which it was sent
 * @throws Failure invalid
 */
export async function readPicture(path: string, field: string): Promise<Picture> {
  const read = await readMetadata(path, field);
  const format = FORMATS.find((one) => one === read.format);
  if (!format) throw notAPicture(field);
  const { width = 0, height = 0 } = read;
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE)
    throw invalid(field, `must be a picture of at most ${MAX_PIXELS / 1_000_000} million pixels, and ${MAX_SIDE} on a side`, 'too_big');
  return encode(openImage(path).toFormat(format, { quality: 90 }), EXTENSIONS[format], field);
}

/** A small JPEG of a picture. @throws Failure as readPicture */
export async function readThumbnail(path: string, field: string): Promise<Picture> {
  const { format } = await readMetadata(path, field);
  if (!FORMATS.some((one) => one === format)) throw notAPicture(field);
  const small = openImage(path)
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' });
  return encode(small.jpeg({ quality: 75 }), EXTENSIONS.jpeg, field);
}

const openImage = (path: string) =>
  sharp(path, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient().timeout({ seconds: DECODE_SECONDS });

const readMetadata = (path: string, field: string) =>
  sharp(path)
    .metadata()
    .catch((error: unknown) => failToRead(error, field));

async function encode(picture: Sharp, extension: string, field: string): Promise<Picture> {
  const { data, info } = await picture.toBuffer({ resolveWithObject: true }).catch((error: unknown) => failToRead(error, field));
  return { content: data, extension, width: info.width, height: info.height };
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
