import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, type OpenMetricsContentType, Registry, register } from 'prom-client';
import { VERSION } from '../../config/version.ts';
import { connectionWaits } from '../../database/connections/watched-pool.ts';
import { CONTENT_TYPES, writeMetrics } from './exposition.ts';

/** The registry of one server: only one of this type has exemplars. */
export type ServerRegistry = Registry<OpenMetricsContentType>;

export interface Metrics {
  /** @param accept the header of the request: OpenMetrics, which has exemplars, only for who asks for it, else the text form of Prometheus */
  read(accept: string | undefined): Promise<{ contentType: string; text: string }>;
}

/**
 * The metrics that each process has: its own, those of its jobs, and the connections of its pool.
 * @param pool left out where there is no database yet
 * @returns a registry for further ones, and all of them to read
 */
export function createProcessMetrics(pool?: pg.Pool): { registry: ServerRegistry; metrics: Metrics } {
  const registry: ServerRegistry = new Registry();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  collectMetrics();
  if (pool) measurePool(registry, pool);
  return {
    registry,
    metrics: {
      async read(accept) {
        const form = accept?.includes('application/openmetrics-text') ? 'openmetrics' : 'prometheus';
        return { contentType: CONTENT_TYPES[form], text: await writeMetrics([collectMetrics(), registry], form) };
      },
    },
  };
}

function measurePool(registry: ServerRegistry, pool: pg.Pool): void {
  const registers = [registry];
  new Gauge({
    name: 'database_connections',
    help: 'Connections of the pool, by state',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'open' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waited_for' }, pool.waitingCount);
    },
  });
  new Gauge({
    name: 'database_connections_allowed',
    help: 'Maximum number of connections in the pool (DATABASE_POOL)',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Counter({
    name: 'database_connection_waits_total',
    help: 'Number of waits for a connection because none was idle',
    registers,
    collect() {
      this.reset();
      this.inc(connectionWaits(pool).count);
    },
  });
  new Counter({
    name: 'database_connection_wait_seconds_total',
    help: 'Total seconds of waiting for connections',
    registers,
    collect() {
      this.reset();
      this.inc(connectionWaits(pool).seconds);
    },
  });
}

let isCollecting = false;

/**
 * Metrics of the process, those of its jobs among them. Their observers run until it ends, and each would keep the server whose
 * registry it writes to.
 */
function collectMetrics(): typeof register {
  if (!isCollecting) {
    collectDefaultMetrics({ register });
    const build = new Gauge({ name: 'triptych_build_info', help: 'Always 1; the label has the release', labelNames: ['version'] });
    build.set({ version: VERSION }, 1);
  }
  isCollecting = true;
  return register;
}
