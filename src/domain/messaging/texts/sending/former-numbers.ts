import type { Patient, Prisma, SmsMessage } from '../../../../generated/prisma/client.ts';

/** Columns for isFormerNumber of the text that a link was in, and of its patient. */
export const NUMBER_OF_TEXT = { select: { ownNumber: true, toNumber: true } } as const satisfies { select: Prisma.SmsMessageSelect };
export const NUMBERS_OF_PATIENT = { mobilePhone: true, homePhone: true } as const satisfies Prisma.PatientSelect;

/** Whether a text went to a number that was its patient's and no longer is. A number that was named in its place is none. */
export const isFormerNumber = (
  text: Pick<SmsMessage, 'ownNumber' | 'toNumber'> | null,
  patient: Pick<Patient, 'mobilePhone' | 'homePhone'> | null,
): boolean => text?.ownNumber === true && ![patient?.mobilePhone, patient?.homePhone].includes(text.toNumber);
