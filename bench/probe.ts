/**
 * Loaded into both servers with `--import`: answers over the channel to the benchmark what the process has used so far.
 * Neither server knows of it.
 */
process.on('message', (asked) => {
  if (asked !== 'usage' && asked !== 'usage after gc') return;
  if (asked === 'usage after gc') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ cpuMs: (user + system) / 1000, rss, heapUsed });
});
// A benchmark that was killed leaves nothing behind.
process.on('disconnect', () => process.exit(1));
// Listening alone would keep the process from ending by itself.
process.channel?.unref();
