import { EVENT_NAMES, type EventName } from './catalogue.ts';

/**
 * The kinds of events that a filter names: one by its name, or all of a kind of record, as `appointment.*`.
 * @returns none where it names nothing
 */
export const namesMatching = (filter: string): EventName[] =>
  EVENT_NAMES.filter((name) => name === filter || (filter.endsWith('.*') && name.startsWith(filter.slice(0, -1))));
