/** Whether the run is on a cluster (project `distributed` of vitest.config.ts), where all files share one database. */
export const isDistributed = process.env.DISTRIBUTED === 'true';
