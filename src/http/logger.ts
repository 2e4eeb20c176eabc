import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/**
 * Structured logs. An error is logged by its name, code and places in the code; never by its message, which may quote
 * what was sent or stored.
 */
export function createLogger(config: Pick<Config, 'LOG_LEVEL'>, destination?: DestinationStream): Logger {
  const options = { level: config.LOG_LEVEL, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: writeError, req: () => undefined, res: () => undefined } };
  return destination ? pino(options, destination) : pino(options);
}

/** What may be told of an error. */
export function writeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 12).map((line) => line.trim());
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {};
  return { name: error.name, ...code, frames, ...(error.cause ? { cause: writeError(error.cause) } : {}) };
}
