/** Whether the run is on a cluster (vitest.distributed.config.ts), where all files share one database. */
export const isDistributed = process.env.DISTRIBUTED === 'true';
