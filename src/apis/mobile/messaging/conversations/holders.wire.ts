import { z } from 'zod';
import type { NumberHolder } from '../../../../domain/messaging/contacts/number-holders.ts';

export const Holder = z
  .strictObject({ uuid: z.int().describe('Patient id'), firstname: z.string().nullable(), lastname: z.string().nullable() })
  .meta({ id: 'NumberHolder' });

export const fromHolder = ({ id, firstName, lastName }: NumberHolder): z.input<typeof Holder> => ({
  uuid: id,
  firstname: firstName,
  lastname: lastName,
});
