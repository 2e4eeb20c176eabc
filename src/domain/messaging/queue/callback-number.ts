import { formatPhone } from '../../values/phone-numbers.ts';

/** The number at which a practice is called back, as people write it: its own, else the number that was texted, which is E.164. */
export const callbackNumber = ({ phone }: { phone: string | null }, textedNumber: string): string => formatPhone(phone ?? textedNumber);
