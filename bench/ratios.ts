import type { Figures, Result } from './measure.ts';
import { median } from './statistics.ts';

/** A goal: a fraction of the floor by processor time, and a multiple of the best peer's rate, where a peer is asked. */
interface Goal {
  floor: number;
  peer: number | null;
}

const READ_OF_PEER = 1.5;
const WRITE_OF_PEER = 1.2;

/** By name of the workload, with tokens, tenant scope, audit and limits on; the others are measured without a goal. */
const GOALS: Record<string, Goal> = {
  'one-patient': { floor: 0.9, peer: READ_OF_PEER },
  'name-search': { floor: 0.9, peer: READ_OF_PEER },
  '1500-records': { floor: 1, peer: READ_OF_PEER },
  '5000-records': { floor: 1, peer: READ_OF_PEER },
  'month-of-office-200': { floor: 0.95, peer: READ_OF_PEER },
  'month-of-office-1000': { floor: 0.95, peer: READ_OF_PEER },
  'create-patient': { floor: 0.6, peer: WRITE_OF_PEER },
  'update-patient': { floor: 0.65, peer: WRITE_OF_PEER },
  'book-appointment': { floor: 0.55, peer: null },
  'move-appointment': { floor: 0.55, peer: null },
  'queue-text': { floor: 0.5, peer: null },
  mix: { floor: 0.9, peer: null },
};

/** The ratios of our server to the others in one workload. */
export interface Ratios {
  /** Of the medians of the rates. */
  ofFloor: number;
  /** The floor's processor time by ours, server and database together: hardly moved by what else the machine does. */
  costOfFloor: number;
  /** The quickest of the peers that have a way to answer; null where none has. */
  bestPeer: { name: string; ratio: number } | null;
  goal: Goal | null;
}

/** Of the servers alone where the database's is not known of both. */
function costOfFloor(floor: Figures, ours: Figures): number {
  if (floor.databaseCpuMs === null || ours.databaseCpuMs === null) return floor.cpuMs / ours.cpuMs;
  return (floor.cpuMs + floor.databaseCpuMs) / (ours.cpuMs + ours.databaseCpuMs);
}

export function toRatios({ workload, figures }: Result): Ratios {
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
    goal: GOALS[workload.name] ?? null,
  };
}
