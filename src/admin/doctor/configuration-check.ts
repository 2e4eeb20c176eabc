import type { Config } from '../../config/config.ts';
import { StartError } from '../../config/start-errors.ts';
import { fail, ok, type Result, warn } from './finding.ts';

interface Read {
  /** Null where it is not right. */
  config: Config | null;
  result: Result;
}

/** @param read reads the environment */
export function configurationResult(read: () => Config): Read {
  try {
    const config = read();
    return { config, result: missing(config) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const advice = 'Set the variables right: docs/environment.md.';
    return { config: null, result: fail(error.message.replaceAll('\n', '; '), advice) };
  }
}

/** Settings that a server runs without, and a clinic should not. */
function missing({ NODE_ENV, AUDIT_ANCHOR, METRICS_TOKEN, METRICS_PORT }: Config): Result {
  if (NODE_ENV !== 'production') return ok(`NODE_ENV is ${NODE_ENV}`);
  const sentences: string[] = [];
  if (AUDIT_ANCHOR === undefined) sentences.push('without AUDIT_ANCHOR nothing outside of the database proves what the audit was');
  if (METRICS_TOKEN === undefined && METRICS_PORT === undefined)
    sentences.push('without METRICS_TOKEN or METRICS_PORT the server cannot be monitored');
  if (sentences.length === 0) return ok('NODE_ENV is production');
  return warn(sentences.join('; '), 'Set them: docs/environment.md.');
}
