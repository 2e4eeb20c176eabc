import { z } from 'zod';
import { invalid } from '../../../domain/errors.ts';
import type { ChartImage } from '../../../domain/patients/record/chart-images.ts';

export const ImageShape = z.strictObject({ image: z.string().describe('The image in base64') }).meta({ id: 'ChartImage' });

export const ImageForm = z
  .object({ image: z.string().meta({ pattern: '^[A-Za-z0-9+/]+={0,2}$' }).describe('A JPEG or PNG image in base64') })
  .meta({ id: 'ChartImageForm' });

export const Success = z.strictObject({ success: z.literal(true).describe('It is done') }).meta({ id: 'Success' });
export const SUCCESS = { success: true } as const;

export const fromImage = ({ content }: ChartImage): z.input<typeof ImageShape> => ({ image: Buffer.from(content).toString('base64') });

/** The bytes of an image; a form may have turned its plus signs into blanks. @throws Failure invalid for no base64 */
export function toImage({ image }: z.output<typeof ImageForm>): Uint8Array<ArrayBuffer> {
  const base64 = image
    .replace(/^data:[a-z/+.-]+;base64,/i, '')
    .replaceAll(' ', '+')
    .replaceAll(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw invalid('image', 'must be a JPEG or PNG image in base64', 'invalid_image');
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
