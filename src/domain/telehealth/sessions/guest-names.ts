import { invalid } from '../../errors.ts';

/** A word in brackets, of any script, that would make a guest look like one of the people of the practice. */
const LEADING_ROLE = /\p{Ps}\s*(?:co-?)?(?:host|organi[sz]er|moderator|presenter|provider|doctor|staff|practice|admin)\b/iu;

/** Greek and Cyrillic letters, and at the same places the Latin ones that they look like. */
const [LOOKALIKES, LATIN] = ['аαсԁеεһіιмοорρѕтτгν', 'aacdeehiimooppsttrv'];

const inLatin = (text: string): string =>
  [...text.normalize('NFKC').toLowerCase()].map((letter) => LATIN[LOOKALIKES.indexOf(letter)] ?? letter).join('');

/** @throws Failure invalid for a name such as `Maria (host)` */
export function requireGuestName(name: string): void {
  if (LEADING_ROLE.test(inLatin(name))) throw invalid('name', 'must be a name, without a role in brackets such as (host)');
}
