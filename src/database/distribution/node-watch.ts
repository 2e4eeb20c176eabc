import type pg from 'pg';
import { isNodeDown, isTimedOut } from '../errors.ts';
import { clusterNodes } from './cluster.ts';

/** Milliseconds for which what asks every node is left alone after one was found down; then it is tried again. */
export const NODE_DOWN_MS = 10_000;

/** Whether a node of the cluster is down, as the errors of statements tell. On one machine none ever is. */
export interface NodeWatch {
  /** Whether one was found down within the last NODE_DOWN_MS. */
  isOneDown(): boolean;
  /** Looks at the error of a statement. After one that timed out, as at a node that stands still, the nodes are asked meanwhile. */
  note(error: unknown): void;
}

export function createNodeWatch(pool: pg.Pool): NodeWatch {
  let downUntil = 0;
  let isAsking = false;
  const noteDown = () => {
    downUntil = performance.now() + NODE_DOWN_MS;
  };

  async function ask(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    const nodes = await clusterNodes(pool).catch(() => []);
    isAsking = false;
    if (nodes.some(({ answers }) => !answers)) noteDown();
  }

  return {
    isOneDown: () => performance.now() < downUntil,
    note(error) {
      if (isNodeDown(error)) noteDown();
      else if (isTimedOut(error)) void ask();
    },
  };
}
