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
// A benchmark that was killed leaves nothing behind.
process.on('disconnect', () => process.exit(1));
// Listening alone would keep the process from ending by itself.
process.channel?.unref();

/** Files and sockets; null where the system does not tell. */
function openHandles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}
