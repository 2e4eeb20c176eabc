import type { PossibleMatch } from '../../domain/patients/registration/possible-matches.ts';

/**
 * The header that names charts which may be of the person who was registered, the most likely first: a structured field list
 * (RFC 9651) of their ids, each with a score and a reason. Empty without such charts.
 */
export function possibleMatchesHeader(matches: readonly PossibleMatch[]): Record<string, string> {
  if (matches.length === 0) return {};
  return { 'possible-matches': matches.map(({ id, score, reason }) => `${id};score=${score};reason="${reason}"`).join(', ') };
}
