import { z } from 'zod';

/** RFC 5321: 256 octets of a path, less its angle brackets. */
export const LONGEST_EMAIL = 254;

const shape = z.email().max(LONGEST_EMAIL);

export const isEmail = (text: string): boolean => shape.safeParse(text).success;
