import type { Figures, Result } from './measure.ts';
import { median } from './statistics.ts';

/** A target, as a fraction of the floor's rate and a multiple of the best peer's rate. */
interface Target {
  floor: number;
  peer: number;
}

/** By name of the workload, with tokens, tenant scope, audit and limits on; the others are measured without a target. */
const TARGETS: Record<string, Target> = {
  'one-patient': { floor: 0.8, peer: 1.6 },
  'name-search': { floor: 0.85, peer: 1.5 },
  '1500-records': { floor: 0.9, peer: 1.5 },
  '5000-records': { floor: 0.9, peer: 1.5 },
  'create-patient': { floor: 0.65, peer: 1.2 },
  'update-patient': { floor: 0.75, peer: 1.3 },
  'month-of-office-200': { floor: 0.8, peer: 1.8 },
  'month-of-office-1000': { floor: 0.8, peer: 1.8 },
  mix: { floor: 0.75, peer: 1.3 },
};

/** The ratios of our server to the others in one workload. */
export interface Ratios {
  /** Of the medians of the rates. */
  ofFloor: number;
  /** The floor's processor time by ours, server and database together: hardly moved by what else the machine does. */
  costOfFloor: number;
  /** The quickest of the peers that have a way to answer; null where none has. */
  bestPeer: { name: string; ratio: number } | null;
  target: Target | null;
}

/** Of the servers alone where the database's is not known of both. */
function costOfFloor(floor: Figures, ours: Figures): number {
  if (floor.databaseCpuMs === null || ours.databaseCpuMs === null) return floor.cpuMs / ours.cpuMs;
  return (floor.cpuMs + floor.databaseCpuMs) / (ours.cpuMs + ours.databaseCpuMs);
}

export function ratiosOf({ workload, figures }: Result): Ratios {
  const [floor, ours] = [figures.get('floor'), figures.get('ours')];
  if (!floor || !ours) throw new Error(`${workload.name} lacks the floor or ours`);
  const rate = median(ours.rates);
  const peers = [...figures].filter(([name]) => name !== 'floor' && name !== 'ours');
  const [best] = peers
    .map(([name, peer]) => ({ name, ratio: rate / median(peer.rates) }))
    .toSorted((one, other) => one.ratio - other.ratio);
  return {
    ofFloor: rate / median(floor.rates),
    costOfFloor: costOfFloor(floor, ours),
    bestPeer: best ?? null,
    target: TARGETS[workload.name] ?? null,
  };
}
