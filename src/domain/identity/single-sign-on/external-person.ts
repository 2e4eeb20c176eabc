import { z } from 'zod';
import { emailShape } from '../../values/email-addresses.ts';
import { oneLine } from '../../values/text-form.ts';
import { accountName } from '../accounts.ts';

export interface ExternalPerson {
  issuer: string;
  subject: string;
  /** In its canonical spelling; null without one. */
  email: string | null;
  /** Whether the provider vouches that the address is theirs. */
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  groups: string[];
}

const LONGEST_NAME = 100;
const name = z
  .string()
  .transform((text) => oneLine(text.replaceAll('\0', '')).slice(0, LONGEST_NAME).trim())
  .catch('');
const claimsOfPerson = z.object({
  email: emailShape.transform(accountName).nullable().catch(null),
  // A boolean; some providers write it as a text. Microsoft's says so in a claim of its own, which counts where this one is absent.
  email_verified: z
    .union([z.literal(true), z.literal('true')])
    .transform(() => true)
    .optional()
    .catch(false),
  xms_edov: z
    .union([z.literal(true), z.literal('true'), z.literal(1), z.literal('1')])
    .optional()
    .catch(undefined),
  given_name: name,
  family_name: name,
  name,
});
const groupNames = z.union([z.array(z.string()), z.string().transform((one) => [one])]).catch([]);

/** @param groupsClaim the name of a claim, or the way to one inside of an object, such as `realm_access.roles` */
export function readPerson(
  { issuer, subject, claims }: { issuer: string; subject: string; claims: Record<string, unknown> },
  groupsClaim: string,
): ExternalPerson {
  const { email, email_verified, xms_edov, given_name, family_name, name: whole } = claimsOfPerson.parse(claims);
  const words = whole.split(' ');
  const local = email?.split('@')[0] ?? 'user';
  return {
    issuer,
    subject,
    email,
    emailVerified: email !== null && (email_verified ?? xms_edov !== undefined),
    firstName: given_name || words.slice(0, -1).join(' ') || whole || local,
    lastName: family_name || words.at(-1) || local,
    groups: groupNames.parse(claims[groupsClaim] ?? readInside(claims, groupsClaim.split('.'))),
  };
}

const objects = z.record(z.string(), z.unknown());

function readInside(claims: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, part) => {
    const object = objects.safeParse(at).data;
    return object && Object.hasOwn(object, part) ? object[part] : undefined;
  }, claims);
}
