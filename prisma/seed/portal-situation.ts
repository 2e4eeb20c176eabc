import { cycle } from './random.ts';

export type PortalSituation = 'none' | 'invited' | 'registered' | 'blocked' | 'family' | 'family_blocked' | 'both';

const SITUATIONS: readonly PortalSituation[] = [
  'registered',
  'registered',
  'invited',
  'family',
  'both',
  'none',
  'blocked',
  'registered',
  'family_blocked',
  'none',
];

/** What a patient has of the portal, by position: every status that the practice API knows occurs. */
export function portalSituation(position: number): PortalSituation {
  return cycle(SITUATIONS, position);
}
