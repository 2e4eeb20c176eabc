import { median } from '../statistics.ts';

/** The resources of a server at one moment, after a garbage collection. */
export interface Sample {
  /** Since the start. */
  minute: number;
  /** Requests answered since the previous sample. */
  requests: number;
  /** Bytes. */
  heap: number;
  /** Bytes. */
  rss: number;
  /** Open file handles; null if the system does not report them. */
  handles: number | null;
  /** Of the database. */
  connections: number;
}

export interface Trends {
  /** Bytes that the heap grows by in ten minutes, by the line that lies nearest to what was seen. */
  heapSlope: number;
  /** By how much the last third has more than the first. */
  handles: number;
  connections: number;
  level: boolean;
  /** The minute from which on it counts: before, pools and caches take their size. */
  from: number;
}

const MOST_HEAP = 2 ** 20;
/** A connection more or less is a job that ran just then. */
const MOST_OPEN = 2;

export function trends(samples: readonly Sample[], minutes: number): Trends {
  const from = Math.min(2, minutes / 4);
  const counted = samples.filter(({ minute }) => minute >= from);
  if (counted.length < 3) throw new Error('that is too short to see anything; take a minute or more');
  const heapSlope = slope(counted.map(({ minute, heap }) => [minute, heap])) * 10;
  const handles = rise(counted.map((look) => look.handles ?? 0));
  const connections = rise(counted.map((look) => look.connections));
  return { heapSlope, handles, connections, from, level: heapSlope < MOST_HEAP && handles <= MOST_OPEN && connections <= MOST_OPEN };
}

/** Least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: (point: readonly [number, number]) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [x, y] = [mean(([each]) => each), mean(([, each]) => each)];
  const across = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return across / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

function rise(values: readonly number[]): number {
  const third = Math.ceil(values.length / 3);
  return median(values.slice(-third)) - median(values.slice(0, third));
}
