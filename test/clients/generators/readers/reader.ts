/** Addresses, tokens and charts that a generated client reads. */
export interface Reading {
  address: string;
  practiceId: number;
  tokens: { integration: string; practice: string; mobile: string };
  patientIds: readonly number[];
}

/** Last names of the charts, in the order of their ids, as each API shows them. */
export interface LastNames {
  integration: string[];
  practice: string[];
  mobile: string[];
}

/** Reads every chart in each of the three APIs with a generated client. @throws where a response is not a chart */
export type Reader = (reading: Reading) => Promise<LastNames>;

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The value of a field that every chart of the demo has. @throws where it is missing */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** Reads charts in their order, several at a time. */
export async function readAll(ids: readonly number[], read: (id: number) => Promise<string>): Promise<string[]> {
  const names: string[] = [];
  for (let start = 0; start < ids.length; start += 10) names.push(...(await Promise.all(ids.slice(start, start + 10).map(read))));
  return names;
}
