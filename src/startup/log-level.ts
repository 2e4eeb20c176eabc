import type { Logger } from 'pino';

/** Milliseconds after which the configured level is back: a level that somebody forgets fills disks. */
const DETAILED_FOR_MS = 15 * 60_000;

/**
 * Lets SIGUSR2 change between the configured level of the log and `debug` (`trace` where that is `debug`), for a quarter of an hour at most.
 * Called first at a start: the signal ends a process that does not listen to it. (SIGUSR1 opens Node's debugger.)
 * @returns takes the signal no more
 */
export function changeLevelBySignal(logger: Pick<Logger, 'level' | 'warn'>, detailedForMs = DETAILED_FOR_MS): () => void {
  const configured = logger.level;
  const detailed = configured === 'debug' || configured === 'trace' ? 'trace' : 'debug';
  let timer: NodeJS.Timeout | undefined;
  const restore = () => {
    clearTimeout(timer);
    timer = undefined;
    logger.warn(`the log is at the level ${configured} again`);
    logger.level = configured;
  };
  const change = () => {
    if (timer) return restore();
    logger.level = detailed;
    logger.warn(`the log is at the level ${detailed}, until the next SIGUSR2 or for ${Math.round(detailedForMs / 60_000)} minutes`);
    timer = setTimeout(restore, detailedForMs).unref();
  };
  process.on('SIGUSR2', change);
  return () => {
    clearTimeout(timer);
    process.off('SIGUSR2', change);
  };
}
