import { invalid } from '../errors.ts';

/** A word in brackets, of any script, that would make a guest look like one of the people of the practice. */
const LEADING_ROLE = /\p{Ps}\s*(?:co-?)?(?:host|organi[sz]er|moderator|presenter|provider|doctor|staff|practice|admin)\b/iu;

/** @throws Failure invalid for a name such as `Maria (host)` */
export function requireGuestName(name: string): void {
  if (LEADING_ROLE.test(name.normalize('NFKC'))) throw invalid('name', 'must be a name, without a role in brackets such as (host)');
}
