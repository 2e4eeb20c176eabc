import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';
import { invalid } from '../errors.ts';

/** A word in brackets, of any script, that would make a guest look like one of the people of the practice. */
const LEADING_ROLE = /\p{Ps}\s*(?:co-?)?(?:host|organi[sz]er|moderator|presenter|provider|doctor|staff|practice|admin)\b/iu;

/** @throws Failure invalid for a name such as `Maria (host)` */
export function requireGuestName(name: string): void {
  if (LEADING_ROLE.test(name.normalize('NFKC'))) throw invalid('name', 'must be a name, without a role in brackets such as (host)');
}

const TITLES = /^(?:(?:dr|doctor|prof|professor)\b\.?\s*)+|(?:,?\s+(?:md|do|np|pa|rn)\b\.?)+$/giu;

/** Whether a user of the practice has this name, with or without a title, in whatever case and with whatever accents. */
export async function isNameOfUser(db: Db, { organizationId }: Caller, name: string): Promise<boolean> {
  const untitled = name.replaceAll(TITLES, '');
  const users = await db.$queryRaw<object[]>`
    SELECT 1 FROM "user" WHERE organization_id = ${organizationId}
       AND fold(first_name || ' ' || last_name) IN (fold(${name}), fold(${untitled})) LIMIT 1`;
  return users.length > 0;
}
