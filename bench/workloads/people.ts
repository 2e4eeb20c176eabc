import { firstNames, lastNames } from '../data/names.ts';

/** The details that a front desk records of a new patient. Telephone numbers are ten digits, the birth date mm/dd/yyyy. */
interface Person extends Reachable {
  firstname: string;
  lastname: string;
  dob: string;
  sex: string;
  race: string;
  homephone: string;
}

/** An address. */
interface Reachable {
  address1: string;
  address2: string | undefined;
  city: string;
  state: string;
  zip: string;
  mobilephone: string;
  email: string;
}

/** An even draw from 0 to 1 for the n-th person and for what is drawn of him. */
type Draw = (n: number, what: number) => number;

const STREETS = ['Maple Avenue', 'Oak Street', 'Washington Street', 'Main Street', 'Park Place', 'Elm Street', 'Lake Road', 'Hill Road'];
const CITIES = ['Albany', 'Rochester', 'Buffalo', 'Syracuse', 'Yonkers', 'White Plains', 'Ithaca', 'Utica', 'Saratoga Springs', 'Kingston'];
const RACES = ['2106-3', '2106-3', '2106-3', '2106-3', '2054-5', '2028-9', '1002-5', '2131-1'];
/** Area codes of the state of New York: impossible numbers would be refused. */
const AREAS = ['212', '315', '347', '516', '518', '585', '607', '631', '646', '716', '718', '845', '914', '917', '929'];

/** @param seed of a run: the people and the values of another run are others */
export function draws(seed: number): Draw {
  return (n, what) => {
    let bits = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(what + 1, 0x85ebca6b) ^ seed;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
  };
}

function drawOne<T>(list: readonly T[], draw: number): T {
  const one = list[Math.floor(draw * list.length)];
  if (one === undefined) throw new Error('there is nothing to draw from');
  return one;
}

/** The n-th new person, with a name out of the lists that the practice's own patients have theirs from. */
export function people(draw: Draw): (n: number) => Person {
  const [first, last] = [firstNames(), lastNames()];
  const lastName = (n: number) => {
    const kind = draw(n, 2);
    if (kind < 0.92) return drawOne(last, draw(n, 3));
    return `${drawOne(last, draw(n, 3))}${kind < 0.97 ? '-' : ' '}${drawOne(last, draw(n, 4))}`;
  };
  return (n) => ({
    firstname: drawOne(first, draw(n, 1)),
    lastname: lastName(n),
    dob: `${pad(1 + draw(n, 5) * 12)}/${pad(1 + draw(n, 6) * 28)}/${Math.floor(1934 + draw(n, 7) * 88)}`,
    sex: drawOne(['F', 'M'], draw(n, 8)),
    race: drawOne(RACES, draw(n, 9)),
    homephone: phone(draw, n, 10),
    ...reachable(draw, n),
  });
}

/** The n-th address; every n gives a different one. */
export function reachable(draw: Draw, n: number): Reachable {
  return {
    address1: `${Math.floor(1 + draw(n, 20) * 9_999)} ${drawOne(STREETS, draw(n, 21))}`,
    address2: draw(n, 22) < 0.3 ? `Apt ${Math.floor(1 + draw(n, 23) * 200)}` : undefined,
    city: drawOne(CITIES, draw(n, 24)),
    state: 'NY',
    zip: String(Math.floor(10_000 + draw(n, 25) * 4_900)),
    mobilephone: phone(draw, n, 30),
    email: `p${n}-${Math.floor(draw(n, 26) * 1e6)}@mail.example`,
  };
}

const pad = (number: number) => String(Math.floor(number)).padStart(2, '0');

/** Its exchange is none whose digit repeats: seven equal digits are no number in use. */
function phone(draw: Draw, n: number, what: number): string {
  return `${drawOne(AREAS, draw(n, what))}${Math.floor(223 + draw(n, what + 1) * 77)}${String(Math.floor(draw(n, what + 2) * 10_000)).padStart(4, '0')}`;
}
