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

/** The portal accounts and restrictions of a patient, by position: every status of the practice API occurs. */
export function portalSituation(position: number): PortalSituation {
  return cycle(SITUATIONS, position);
}
