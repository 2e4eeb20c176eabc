import type { Sharp } from 'sharp';
import { Failure, invalid, unavailable } from '../errors.ts';
import { sharp } from '../files/image-library.ts';

/** A picture that was encoded anew, so that nothing of the uploaded file but the visible pixels is kept. */
export interface Picture {
  content: Buffer;
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

/**
 * Decodes an uploaded picture and encodes it anew: upright, and without its metadata such as the place and the camera.
 * @param path of the uploaded file
 * @param field of the form, for errors
 * @throws Failure invalid for any other file; unavailable where decoding takes too long
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

/** Makes a small JPEG of a picture. @throws Failure as readPicture */
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
