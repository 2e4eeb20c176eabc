import type { Logger } from 'pino';
import { observeStatements } from '../database/statements/statement-times.ts';

/**
 * Logs statements by name, without values: those that take long as warnings, at the level `debug` each.
 * @param slowMs milliseconds from which on a statement takes long
 * @returns logs none any more
 */
export function logStatements(logger: Pick<Logger, 'warn' | 'debug' | 'isLevelEnabled'>, slowMs: number): () => void {
  return observeStatements({
    wants: (ms) => ms >= slowMs || logger.isLevelEnabled('debug'),
    take({ name, ms, failed }) {
      const line = { statement: name, ms: Math.round(ms * 10) / 10, ...(failed ? { failed } : {}) };
      if (ms >= slowMs) logger.warn(line, 'slow statement');
      else logger.debug(line, 'statement');
    },
  });
}
