import { readdirSync } from 'node:fs';

/**
 * Loaded into all servers with `--import`: answers over the channel to the benchmark what the process has used so far.
 * No server knows of it.
 */
process.on('message', (asked) => {
  if (asked !== 'usage' && asked !== 'usage after gc') return;
  const collect = asked === 'usage after gc';
  if (collect) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ cpuMs: (user + system) / 1000, rss, heapUsed, handles: collect ? openHandles() : null });
});
// Exits with the benchmark, also when that is killed.
process.on('disconnect', () => process.exit(1));
// The IPC channel must not keep the process running.
process.channel?.unref();

/** Open files and sockets; null if the system does not report them. */
function openHandles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}
