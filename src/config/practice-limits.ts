import { list } from './checks.ts';

/** API clients, webhook endpoints, open imports and telephone numbers of one practice, and its open streams of events on one process. */
export interface PracticeLimits {
  clients: number;
  endpoints: number;
  streams: number;
  imports: number;
  numbers: number;
}

export const PRACTICE_LIMITS: PracticeLimits = { clients: 200, endpoints: 50, streams: 50, imports: 10, numbers: 100 };

const isLimit = (name: string): name is keyof PracticeLimits => Object.hasOwn(PRACTICE_LIMITS, name);

/** Pairs such as `clients=300,numbers=500`. A limit that is not among them keeps its default. */
export const practiceLimits = list.transform((pairs, context): PracticeLimits => {
  const limits = { ...PRACTICE_LIMITS };
  const given = new Set<string>();
  for (const pair of pairs) {
    const [name = '', number = '', ...more] = pair.split('=').map((part) => part.trim());
    if (!isLimit(name)) context.addIssue(`"${name}" is not one of its limits: ${Object.keys(PRACTICE_LIMITS).join(', ')}`);
    else if (given.has(name)) context.addIssue(`${name} is set twice`);
    else if (more.length > 0 || !/^[1-9]\d{0,8}$/.test(number))
      context.addIssue(`${name} must be a whole number from 1 to 999999999, as in ${name}=${PRACTICE_LIMITS[name]}`);
    else limits[name] = Number(number);
    given.add(name);
  }
  return limits;
});
