import type pg from 'pg';
import { collectDefaultMetrics, Gauge, Registry, register } from 'prom-client';

/** The metrics of a process in the form of Prometheus. */
export interface Metrics {
  contentType: string;
  read(): Promise<string>;
}

/**
 * The metrics that each process has: its own, those of its jobs, and the connections of its pool.
 * @param pool left out where there is no database yet
 * @returns a registry for further ones, and all of them to read
 */
export function createProcessMetrics(pool?: pg.Pool): { registry: Registry; metrics: Metrics } {
  const registry = new Registry();
  collected();
  if (pool)
    new Gauge({
      name: 'database_connections',
      help: 'Connections of the pool, by state',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        this.set({ state: 'open' }, pool.totalCount);
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'waited_for' }, pool.waitingCount);
      },
    });
  const read = async () => `${await collected().metrics()}${await registry.metrics()}`;
  return { registry, metrics: { contentType: registry.contentType, read } };
}

let isCollecting = false;

/**
 * Metrics of the process, those of its jobs among them. Their observers run until it ends, and each would keep the server whose
 * registry it writes to.
 */
function collected(): typeof register {
  if (!isCollecting) collectDefaultMetrics({ register });
  isCollecting = true;
  return register;
}
