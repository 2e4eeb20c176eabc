/** Failures of outside services that a test practice meets. */
export interface Faults {
  /** The fate of texts at the carrier. */
  carrier: 'refuse' | 'unreachable' | null;
  mail: 'bounce' | null;
  /** Milliseconds that each delivery to a webhook endpoint is late. */
  webhookDelayMs: number;
  /** An API client that gets 503 for a share of its requests, from 0 to 1. */
  unavailable: { client: string; rate: number } | null;
}

const NO_FAULTS: Faults = { carrier: null, mail: null, webhookDelayMs: 0, unavailable: null };

/** The practices of this process whose clock or services the sandbox has changed. Others are in neither map, and cost a look there. */
const aheadMs = new Map<number, number>();
const faults = new Map<number, Faults>();

/** The time on the clock of a practice at a moment. */
export const addAhead = (organizationId: number | null, at: Date): Date => new Date(at.getTime() + findAheadMs(organizationId));

/** The present time of a practice, by which reminders, schedules, quiet hours and free times go; null: that of every other one. */
export const nowIn = (organizationId: number | null): Date => addAhead(organizationId, new Date());

/** The moment at which the clock of a practice shows another one. */
export const realTime = (organizationId: number, shown: Date): Date => new Date(shown.getTime() - findAheadMs(organizationId));

export const findAheadMs = (organizationId: number | null): number => (organizationId === null ? 0 : (aheadMs.get(organizationId) ?? 0));

export const findFaults = (organizationId: number): Faults => faults.get(organizationId) ?? NO_FAULTS;

/** @param ahead milliseconds; 0 for the usual clock */
export const setClock = (organizationId: number, ahead: number): void =>
  void (ahead === 0 ? aheadMs.delete(organizationId) : aheadMs.set(organizationId, ahead));
/** @param set those that are left out are none */
export const setFaults = (organizationId: number, set: Partial<Faults>): void => void faults.set(organizationId, { ...NO_FAULTS, ...set });

/** Lists by the usual clock, and by that of each practice that is ahead of it. */
export async function dueByEachClock<T>(
  clock: (organizationId: number | null) => Date,
  list: (now: Date, practice: number | null) => Promise<T[]>,
): Promise<T[]> {
  const practices = [null, ...aheadMs.keys()];
  return (await Promise.all(practices.map((practice) => list(clock(practice), practice)))).flat();
}
