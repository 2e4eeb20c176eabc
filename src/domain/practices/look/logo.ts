import { createHash } from 'node:crypto';
import { invalid } from '../../errors.ts';
import { imageLibrary } from '../../files/image-library.ts';
import { isAnimatedPng } from '../../files/png-chunks.ts';

/** A logo that was encoded anew: nothing of the file but its visible pixels is kept. */
export interface Logo {
  /** A PNG. */
  content: Buffer;
  /** SHA-256 of the content, hexadecimal. */
  hash: string;
  /** Pixels. */
  width: number;
  height: number;
}

const FORMATS = ['jpeg', 'png', 'webp'];
/** Pixels of the file, and of its longer side. */
const MAX_PIXELS = 16_000_000;
/** Pixels of the logo: three times as many as the header of a page shows, for fine screens. */
const BOX = { width: 624, height: 132 };
/** Bytes of the logo that is kept. */
const MAX_BYTES = 256 * 1024;
const DECODE_SECONDS = 10;

/**
 * Reads a PNG, JPEG or WebP picture, and makes it as small as pages need it. SVG is not taken, since it can
 * hold scripts and addresses.
 * @throws Failure invalid for any other file, and for one that is too large or too small
 */
export async function readLogo(file: Buffer): Promise<Logo> {
  const sharp = await imageLibrary();
  const { format, width = 0, height = 0, pages = 1 } = await sharp(file).metadata().catch(notAPicture);
  if (!FORMATS.includes(format)) return notAPicture();
  if (pages > 1 || isAnimatedPng(file)) throw invalid('logo', 'must not be animated', 'moving_picture');
  if (width * height > MAX_PIXELS) throw invalid('logo', `must have at most ${MAX_PIXELS / 1_000_000} million pixels`, 'too_big');
  if (Math.min(width, height) < 16) throw invalid('logo', 'must be at least 16 pixels wide and high', 'too_small');
  const { data, info } = await sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    .timeout({ seconds: DECODE_SECONDS })
    .autoOrient()
    .resize({ ...BOX, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 9, effort: 10 })
    .toBuffer({ resolveWithObject: true })
    .catch(notAPicture);
  if (data.length > MAX_BYTES) throw invalid('logo', `must be simpler: it is larger than ${MAX_BYTES / 1024} kB`, 'too_big');
  return { content: data, hash: createHash('sha256').update(data).digest('hex'), width: info.width, height: info.height };
}

function notAPicture(): never {
  throw invalid('logo', 'must be a PNG, JPEG or WebP picture that can be read', 'no_picture');
}
