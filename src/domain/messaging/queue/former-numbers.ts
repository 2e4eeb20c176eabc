import type { Prisma, SmsMessage } from '../../../generated/prisma/client.ts';
import type { Reach } from '../../patients/guardians/reach.ts';

/** Columns for isFormerNumber of the text that a link was in. */
export const NUMBER_OF_TEXT = { select: { ownNumber: true, toNumber: true } } as const satisfies { select: Prisma.SmsMessageSelect };

/** Whether a text went to a number by which its patient was reached, and is no longer. A number that was named in its place is none. */
export const isFormerNumber = (
  text: Pick<SmsMessage, 'ownNumber' | 'toNumber'> | null,
  reach: Pick<Reach, 'numbers'> | undefined,
): boolean => text?.ownNumber === true && reach?.numbers.includes(text.toNumber) !== true;
